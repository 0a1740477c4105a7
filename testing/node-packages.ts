import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../node_modules/.cache')
const manifests = ['package.json', 'package-lock.json']

/** Installs the packages that a folder names with npm, once, and returns the folder that has them. */
export function installNode(name: string, from: string): string {
  const hash = createHash('sha256')
  for (const manifest of manifests) hash.update(readFileSync(join(from, manifest)))
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  // Renamed when it is complete: an interrupted installation leaves nothing that looks complete.
  const aside = mkdtempSync(join(cache, `${name}-installing-`))
  for (const manifest of manifests) copyFileSync(join(from, manifest), join(aside, manifest))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', ['ci', ...quiet], { cwd: aside, stdio: 'pipe' })
  renameSync(aside, folder)
  return folder
}
