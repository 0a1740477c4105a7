import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { installPython } from '../python-environment.ts'

const cache = join(import.meta.dirname, '../../node_modules/.cache')
const manifests = ['package.json', 'package-lock.json']

/** Installs openapi-python-client with pip, once, and returns the path of its Python. */
export const installPythonGenerator = (): string =>
  installPython('openapi-python-client', join(import.meta.dirname, 'requirements.txt'))

/**
 * Installs openapi-typescript with npm, once, and returns its folder. It is no dependency of the
 * repository, because it needs an older TypeScript.
 */
export function installTypeScriptGenerator(): string {
  const hash = createHash('sha256')
  for (const name of manifests) hash.update(readFileSync(join(import.meta.dirname, name)))
  const folder = join(cache, `openapi-typescript-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  // Renamed when it is complete: an interrupted installation leaves nothing that looks complete.
  const aside = mkdtempSync(join(cache, 'openapi-typescript-installing-'))
  for (const name of manifests) copyFileSync(join(import.meta.dirname, name), join(aside, name))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', ['ci', ...quiet], { cwd: aside, stdio: 'pipe' })
  renameSync(aside, folder)
  return folder
}
