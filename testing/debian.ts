import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../node_modules/.cache')
const lock = join(cache, 'debian-packages.lock')
/** Daemons and dpkg's tools are in folders that may be missing in PATH. */
const path = `${process.env['PATH']}:/usr/local/sbin:/usr/sbin:/sbin`

/**
 * Runs a program of apt, one at a time: test files run in parallel. apt's own option makes it wait
 * for dpkg's lock, but not for those of its package lists and downloads.
 */
export function runApt(
  program: 'apt-get' | 'apt-cache',
  args: readonly string[],
  cwd?: string,
): string {
  mkdirSync(cache, { recursive: true })
  const run = (...command: readonly string[]) =>
    execFileSync('flock', [lock, ...command], {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, PATH: path, DEBIAN_FRONTEND: 'noninteractive' },
    })
  const asked = [program, '-o', 'DPkg::Lock::Timeout=600', ...args]
  try {
    return run(...asked)
  } catch {
    // Package lists that are missing or old lead to nothing that could be downloaded.
    run('apt-get', '-o', 'DPkg::Lock::Timeout=600', 'update', '--quiet')
    return run(...asked)
  }
}

/** Installs packages of Debian. */
export const installPackages = (...names: readonly string[]): void =>
  void runApt('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...names])

/** Unpacks a package of Debian, and those that it needs, into a folder and returns it. Installing it would start a service. */
export function unpackPackage(name: string, ...needed: readonly string[]): string {
  const folder = join(cache, `unpacked-${name}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const aside = mkdtempSync(join(cache, `unpacking-${name}-`))
  runApt('apt-get', ['download', '--quiet', name, ...needed], aside)
  for (const archive of globSync('*.deb', { cwd: aside })) {
    execFileSync('dpkg-deb', ['--extract', archive, '.'], { cwd: aside })
  }
  renameSync(aside, folder)
  return folder
}

/** Waits while another test file installs something: its programs are there before they can run. */
export function waitForInstalls(): void {
  if (existsSync(lock)) execFileSync('flock', [lock, 'true'])
}
