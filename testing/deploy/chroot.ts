import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runApt, unpackPackage } from '../debian.ts'

const cache = join(import.meta.dirname, '../../node_modules/.cache')
export const release = 'bookworm'

/** The mirror of this machine. */
function findMirror(): string {
  const targets = runApt('apt-get', ['indextargets', '--format', '$(RELEASE) $(REPO_URI)'])
  const line = targets.split('\n').find((each) => each.startsWith(`${release} `))
  if (line === undefined) throw new Error(`this machine has no package lists of ${release}`)
  return line.slice(release.length + 1)
}

/** A Debian with little more than libc and a shell, like the slim images. Made once, by debootstrap. */
export function createDebianRoot(): string {
  const root = join(cache, `debian-${release}`)
  if (existsSync(root)) return root
  mkdirSync(cache, { recursive: true })
  const aside = mkdtempSync(join(cache, 'debian-'))
  const folder = unpackPackage('debootstrap')
  const program = join(folder, 'usr/sbin/debootstrap')
  execFileSync('sh', [program, '--variant=minbase', release, aside, findMirror()], {
    stdio: 'pipe',
    env: {
      ...process.env,
      PATH: `${process.env['PATH']}:/usr/sbin:/sbin`,
      DEBOOTSTRAP_DIR: join(folder, 'usr/share/debootstrap'),
    },
  })
  renameSync(aside, root)
  return root
}

interface Run {
  readonly root: string
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  /** `uid:gid`. */
  readonly user: string
  /** Folders of this machine at paths of the root. */
  readonly volumes?: Readonly<Record<string, string>>
  readonly isReadOnly?: boolean
}

/** The command that runs a program in the root, as a container would: own mounts, this environment. */
export function chrootCommand(run: Run): [string, ...string[]] {
  const { root, command, environment, folder, user, volumes = {}, isReadOnly = false } = run
  const script = [
    'mount --bind "$0" "$0"',
    'mount --rbind /dev "$0/dev"',
    'mount --bind /proc "$0/proc"',
    'mount -t tmpfs tmpfs "$0/tmp"',
    ...Object.entries(volumes).map(([path, from]) => `mount --bind '${from}' "$0${path}"`),
    ...(isReadOnly ? ['mount -o remount,bind,ro "$0"'] : []),
    `exec chroot --userspec=${user} --groups= "$0" /usr/bin/env -i --chdir='${folder}' "$@"`,
  ].join('\n')
  const variables = Object.entries({
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...environment,
  })
  const words = [...variables.map((pair) => pair.join('=')), ...command]
  return ['unshare', '--mount', 'sh', '-euc', script, root, ...words]
}

/** The home of the user who runs the steps. */
export const home = '/var/build'

/** Lets npm in the root download as npm of this machine does. */
export function shareDownloads(root: string): Record<string, string> {
  mkdirSync(join(root, home, '.npm'), { recursive: true })
  const settings = join(homedir(), '.npmrc')
  if (existsSync(settings)) copyFileSync(settings, join(root, home, '.npmrc'))
  mkdirSync(join(homedir(), '.npm'), { recursive: true })
  return { [join(home, '.npm')]: join(homedir(), '.npm') }
}
