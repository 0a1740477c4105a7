import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../node_modules/.cache')
const systemPython = process.env['PYTHON'] ?? 'python3'
const pythonOf = (environment: string) =>
  process.platform === 'win32'
    ? join(environment, 'Scripts', 'python.exe')
    : join(environment, 'bin', 'python')

/** Installs the packages of a requirements file, once, and returns the path of that Python. */
export function installPython(name: string, requirements: string): string {
  const environment = join(cache, `${name}-${fingerprint(requirements)}`)
  if (!existsSync(environment)) build(environment, name, requirements)
  return pythonOf(environment)
}

/** One environment for each version of Python and of what is installed. */
function fingerprint(requirements: string): string {
  const version = execFileSync(systemPython, ['-c', 'import sys; print(sys.version, sys.prefix)'])
  const hash = createHash('sha256').update(version).update(readFileSync(requirements))
  return hash.digest('hex').slice(0, 16)
}

/** Built in a temporary folder and renamed, so that nobody sees it incomplete. */
function build(environment: string, name: string, requirements: string): void {
  mkdirSync(cache, { recursive: true })
  const aside = mkdtempSync(join(cache, `${name}-building-`))
  // The pip of the system installs into it: one of its own takes seconds to create.
  execFileSync(systemPython, ['-m', 'venv', '--without-pip', aside], { stdio: 'pipe' })
  const pip = ['-m', 'pip', '--python', pythonOf(aside), 'install', '--quiet', '--no-compile']
  const only = ['--no-deps', '--only-binary', ':all:', '--requirement', requirements]
  execFileSync(systemPython, [...pip, ...only], { stdio: 'pipe' })
  try {
    renameSync(aside, environment)
  } catch (error) {
    rmSync(aside, { recursive: true })
    // Another test may have finished first.
    if (!existsSync(environment)) throw error
  }
}
