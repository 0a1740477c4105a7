import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { inlineRoutes } from './inline-routes.ts'
import { renderTypes } from './render-types.ts'

/**
 * npm run build:sdk [-- FOLDER]
 *
 * Builds the npm package of the SDK, without dependencies: `npm pack sdk/dist` packs it.
 */
const workspace = import.meta.dirname
const repository = resolve(workspace, '..')
const folder = resolve(process.argv[2] ?? join(workspace, 'dist'))
/** Node 20, and browsers of its time. */
const target = 'es2022'

if (existsSync(folder) && !existsSync(join(folder, 'index.js'))) {
  throw new Error(`${folder} exists and is not an earlier build`)
}
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

await bundleScript()
emitTypes()
writeFileSync(join(folder, 'package.json'), renderManifest())
copyFileSync(join(repository, 'LICENSE'), join(folder, 'LICENSE'))
copyFileSync(join(workspace, 'README.md'), join(folder, 'README.md'))

async function bundleScript(): Promise<void> {
  const bundle = await rolldown({
    cwd: repository,
    input: join(workspace, 'src/index.ts'),
    platform: 'neutral',
    transform: { target },
    plugins: [inlineRoutes()],
  })
  await bundle.write({ file: join(folder, 'index.js'), format: 'esm' })
  await bundle.close()
}

/** Compiles the modules against the generated types, so that nothing names the contract. */
function emitTypes(): void {
  const aside = mkdtempSync(join(tmpdir(), 'muster-sdk-'))
  const modules = globSync('**/*.ts', {
    cwd: join(workspace, 'src'),
    exclude: ['**/*.test.ts', 'testing/**'],
  })
  for (const name of modules) {
    mkdirSync(dirname(join(aside, name)), { recursive: true })
    copyFileSync(join(workspace, 'src', name), join(aside, name))
  }
  writeFileSync(join(aside, 'contract.ts'), renderTypes())
  writeFileSync(
    join(aside, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target,
        lib: [target, 'dom', 'dom.iterable', 'dom.asynciterable'],
        module: 'nodenext',
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        allowImportingTsExtensions: true,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: '.',
        outDir: folder,
      },
      files: ['index.ts'],
    }),
  )
  const compiler = join(repository, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', aside], { stdio: 'inherit' })
  rmSync(aside, { recursive: true })
  for (const name of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, name)
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(/(from '\.{1,2}\/[^']*)\.ts'/g, "$1.js'"),
    )
  }
}

function renderManifest(): string {
  const { name, version, description, license } = JSON.parse(
    readFileSync(join(workspace, 'package.json'), 'utf8'),
  ) as Record<string, string>
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './package.json': './package.json',
    },
    types: './index.d.ts',
    sideEffects: false,
    engines: { node: '>=20' },
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}
