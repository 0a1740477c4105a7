import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildConsole } from '../console/build-console.ts'
import { createArchive, processors } from './archive.ts'
import { bundleServer } from './bundle-server.ts'
import { renderLicenses, renderSbom } from './describe-build.ts'
import { deployFiles } from './deploy-files.ts'
import { createManifest } from './manifest.ts'
import { copyNative } from './native.ts'
import { findPackages } from './packages.ts'

/**
 * npm run build [-- [--offline] [FOLDER]]
 *
 * Builds a folder that runs without the repository: `node dist/muster.mjs serve`. `npm pack` makes a
 * package of it. `--offline` makes archives of it that contain Node, beside the folder.
 */
const repository = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: { offline: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const folder = resolve(positionals[0] ?? join(repository, 'dist'))
const entry = join(folder, 'muster.mjs')

if (existsSync(folder) && !existsSync(entry)) {
  throw new Error(`${folder} exists and is not an earlier build`)
}
rmSync(folder, { recursive: true, force: true })

const serverModules = await bundleServer(repository, join(folder, 'lib'))
const consoleModules = await buildConsole(join(folder, 'console'))
const nativePackages = copyNative(repository, folder).map((path) => join(repository, path))
const packages = findPackages(repository, [...serverModules, ...consoleModules, ...nativePackages])
const manifest = createManifest(repository)

copyFileSync(join(import.meta.dirname, 'muster.mjs'), entry)
const guide = ['LICENSE', 'CHANGELOG.md', 'README.md', 'SECURITY.md', 'docs']
for (const name of [...guide, ...deployFiles]) {
  cpSync(join(repository, name), join(folder, name), { recursive: true })
}
const texts = {
  'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
  'sbom.cdx.json': renderSbom(manifest, packages),
  'THIRD-PARTY-LICENSES.txt': renderLicenses(packages),
}
for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)

// Every user may run it, whatever the umask of this process.
for (const path of ['.', ...globSync('**', { cwd: folder })]) {
  const file = join(folder, path)
  chmodSync(file, statSync(file).isDirectory() || file === entry ? 0o755 : 0o644)
}

if (values.offline) {
  for (const processor of processors) createArchive(repository, folder, processor)
}
