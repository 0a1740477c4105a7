import { basename, dirname, resolve } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { describeContract } from '../cli/src/description/describe-contract.ts'
import { packDescription } from '../cli/src/description/pack-description.ts'
import { inlineRoutes } from '../sdk/inline-routes.ts'
import { native } from './native.ts'

const consoleFolder = '/server/src/composition/console-folder.ts'

/**
 * Makes a file of its own for each thread, and lets `new Worker` load that file. Files that the server
 * finds in any other way would be missing in the build.
 */
const threads: Plugin = {
  name: 'threads',
  transform(code, id) {
    if (!id.endsWith('.ts') || id.endsWith(consoleFolder)) return undefined
    const bundled = code.replaceAll(
      /new Worker\(new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g,
      (_, file: string) => {
        const fileName = `${basename(file, '.ts')}.mjs`
        const chunk = this.emitFile({ type: 'chunk', id: resolve(dirname(id), file), fileName })
        return `new Worker(new URL(import.meta.ROLLUP_FILE_URL_${chunk})`
      },
    )
    if (/import\.meta\.(?!ROLLUP)/.test(bundled)) this.error(`${id} finds a file by import.meta`)
    return bundled
  },
}

/** The console is already built, in a folder beside the bundle. */
const besideBundle = `import { fileURLToPath } from 'node:url'
export const repository = undefined
export const consoleFolder = fileURLToPath(new URL('../console', import.meta.url))
`

const findConsole = (code: string): Plugin => ({
  name: 'console-folder',
  load: (id) => (id.endsWith(consoleFolder) ? code : undefined),
})

const loadDescription = '/cli/src/description/load-description.ts'

/** The command line has its description of the contract ready, and never loads the contract. */
const describeCommands = (): Plugin => ({
  name: 'describe-commands',
  load(id) {
    if (!id.endsWith(loadDescription)) return undefined
    const text = JSON.stringify(JSON.stringify(packDescription(describeContract())))
    return `import { unpackDescription } from './pack-description.ts'
export const loadDescription = async () => unpackDescription(JSON.parse(${text}))
`
  },
})

/** Bundles the server with Vite's Rolldown, so that both parts have the same bundler. Returns the paths of its modules. */
export async function bundleServer(
  repository: string,
  folder: string,
  consoleCode = besideBundle,
): Promise<string[]> {
  const bundle = await rolldown({
    cwd: repository,
    input: { main: 'server/src/main.ts' },
    platform: 'node',
    // The driver of PostgreSQL works without pg-native.
    external: [native, 'pg-native'],
    plugins: [threads, describeCommands(), inlineRoutes(), findConsole(consoleCode)],
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await bundle.close()
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}
