import { chmodSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type Rolldown } from 'vite'

/**
 * Builds the console, with a compressed copy of each text file, so that requests need no compression.
 * Returns the paths of the files it consists of.
 */
export async function buildConsole(folder: string): Promise<string[]> {
  const result = await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
  })
  const texts = globSync('**/*.{html,js,css,svg}', { cwd: folder })
  await Promise.all(texts.map(async (name) => await compress(join(folder, name))))
  // A server of another user reads the files, whatever the umask of this process.
  for (const name of ['.', ...globSync('**', { cwd: folder })]) {
    const path = join(folder, name)
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644)
  }
  return (result as Rolldown.RolldownOutput).output.flatMap((file) =>
    file.type === 'chunk'
      ? file.moduleIds
      : file.originalFileNames.map((name) => resolve(import.meta.dirname, name)),
  )
}

async function compress(path: string): Promise<void> {
  const bytes = readFileSync(path)
  const [small, smaller] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  ])
  writeFileSync(`${path}.gz`, small)
  writeFileSync(`${path}.br`, smaller)
}
