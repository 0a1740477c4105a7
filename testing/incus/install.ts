import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { installPackages, runApt, waitForInstalls } from '../debian.ts'

const cache = join(import.meta.dirname, '../../node_modules/.cache')
/** Daemons are in folders that may be missing in PATH. */
const path = [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].join(delimiter)
const findProgram = (program: string) =>
  path
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(existsSync)

/** What is needed, by the package of Debian that brings it. LXD brings what Incus needs too. */
const packages: Readonly<Record<string, string>> = {
  lxd: 'lxd',
  dnsmasq: 'dnsmasq-base',
  busybox: 'busybox-static',
  openssl: 'openssl',
}

/** Debian 12 has Incus in its backports only. They are at the mirror that the machine uses. */
function describeBackports(): string {
  const filters = ['Created-By: Packages', 'Release: bookworm']
  const found = runApt('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...filters])
  const [mirror = ''] = found.split('\n')
  if (mirror === '') throw new Error('Incus can be installed on Debian 12 only.')
  return `Types: deb
URIs: ${mirror}
Suites: bookworm-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`
}

const incusPackages = ['incus-base', 'incus-client', 'libcowsql0', 'libraft0']

/** Unpacks Incus into a folder. The package sources of the machine stay as they are. */
function unpackIncus(aside: string): void {
  const sources = join(aside, 'backports.sources')
  writeFileSync(sources, describeBackports())
  mkdirSync(join(aside, 'lists/partial'), { recursive: true })
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::Lists=${aside}/lists`,
    `Dir::Cache::pkgcache=`,
    `Dir::Cache::srcpkgcache=`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option])
  runApt('apt-get', [...options, 'update', '--quiet'])
  runApt('apt-get', [...options, 'download', '--quiet', ...incusPackages], aside)
  for (const archive of globSync('*.deb', { cwd: aside })) {
    execFileSync('dpkg-deb', ['--extract', archive, 'incus'], { cwd: aside })
    rmSync(join(aside, archive))
  }
  rmSync(join(aside, 'lists'), { recursive: true })
}

/** It asks for an address by DHCP, one second after its start. */
const init = `#!/bin/busybox sh
trap 'exit 0' TERM PWR INT
( /bin/busybox sleep 1
  /bin/busybox ip link set eth0 up && /bin/busybox udhcpc -i eth0 -f -s /etc/udhcpc ) 2>/dev/null &
while true; do /bin/busybox sleep 3600 & wait $!; done
`
const onLease = `#!/bin/busybox sh
[ "$1" = bound ] && /bin/busybox ip addr add "$ip/$mask" dev "$interface"
exit 0
`
const metadata = `architecture: x86_64
creation_date: 1700000000
properties:
  os: BusyBox
  release: "1.35"
  description: BusyBox 1.35
`

/** An image of a container that boots at once. */
function buildImage(aside: string): void {
  const root = join(aside, 'image/rootfs')
  for (const part of ['bin', 'sbin', 'etc', 'proc', 'sys', 'dev', 'tmp', 'root', 'run']) {
    mkdirSync(join(root, part), { recursive: true })
  }
  copyFileSync(findProgram('busybox') ?? '', join(root, 'bin/busybox'))
  writeFileSync(join(root, 'sbin/init'), init)
  writeFileSync(join(root, 'etc/udhcpc'), onLease)
  for (const script of ['sbin/init', 'etc/udhcpc']) chmodSync(join(root, script), 0o755)
  writeFileSync(join(aside, 'image/metadata.yaml'), metadata)
  const tar = ['-C', join(aside, 'image'), '-czf', join(aside, 'image.tar.gz')]
  execFileSync('tar', [...tar, '--owner=0', '--group=0', 'metadata.yaml', 'rootfs'])
  rmSync(join(aside, 'image'), { recursive: true })
}

export interface InstalledIncus {
  /** To be searched for programs. */
  readonly path: string
  /** Where libraries of Incus are. */
  readonly libraries: string
  readonly image: string
  readonly daemons: { readonly incus: string; readonly lxd: string }
}

/** Installs LXD and Incus and makes an image for them, unless they exist. */
export function installIncus(): InstalledIncus {
  waitForInstalls()
  const missing = Object.entries(packages).filter(([program]) => !findProgram(program))
  if (missing.length > 0) installPackages(...missing.map(([, name]) => name))
  const folder = join(cache, 'incus-1')
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    // Made in a temporary folder, then renamed.
    const aside = mkdtempSync(join(cache, 'incus-building-'))
    unpackIncus(aside)
    buildImage(aside)
    try {
      renameSync(aside, folder)
    } catch (error) {
      rmSync(aside, { recursive: true })
      // Another test may have finished first.
      if (!existsSync(folder)) throw error
    }
  }
  const [libraries = ''] = globSync(join(folder, 'incus/usr/lib/*-linux-gnu'))
  return {
    path: [join(folder, 'incus/usr/bin'), path].join(delimiter),
    libraries,
    image: join(folder, 'image.tar.gz'),
    daemons: {
      incus: join(folder, 'incus/usr/libexec/incus/incusd'),
      lxd: findProgram('lxd') ?? 'lxd',
    },
  }
}
