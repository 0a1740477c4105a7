import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'

const source = join(import.meta.dirname, 'vcsim')
const cache = join(import.meta.dirname, '../../node_modules/.cache')
const files = ['go.mod', 'go.sum', 'main.go']

/** Builds vcsim with the machine's Go, once, and returns its path. */
export function installVcsim(): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(source, file)))
  const folder = join(cache, `vcsim-${hash.digest('hex').slice(0, 16)}`)
  const binary = join(folder, process.platform === 'win32' ? 'vcsim.exe' : 'vcsim')
  if (existsSync(binary)) return binary
  mkdirSync(folder, { recursive: true })
  // Renamed when it is complete: another test may build it at the same time.
  const building = `${binary}-${process.pid}`
  const build = ['build', '-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags=-s -w']
  execFileSync('go', [...build, '-o', building, '.'], { cwd: source, stdio: 'inherit' })
  renameSync(building, binary)
  return binary
}
