import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { buildConsole } from '../console/build-console.ts'
import { bundleServer } from './bundle-server.ts'
import { renderLicenses, renderSbom } from './describe-build.ts'
import { createManifest } from './manifest.ts'
import { copyNative } from './native.ts'
import { findPackages } from './packages.ts'

/**
 * npm run build [-- FOLDER]
 *
 * Builds a folder that runs without the repository: `node dist/muster.mjs serve`. `npm pack` makes a
 * package of it.
 */
const repository = resolve(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(repository, 'dist'))
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
for (const file of ['LICENSE', 'CHANGELOG.md']) {
  copyFileSync(join(repository, file), join(folder, file))
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
