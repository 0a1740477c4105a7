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

/** What is needed, by the package of Debian that brings it. */
const packages: Readonly<Record<string, string>> = {
  libvirtd: 'libvirt-daemon-system',
  virsh: 'libvirt-clients',
  'qemu-system-x86_64': 'qemu-system-x86',
  'qemu-img': 'qemu-utils',
  busybox: 'busybox-static',
  cpio: 'cpio',
  openssl: 'openssl',
}
const kernelPackage = 'linux-image-cloud-amd64'
const cache = join(import.meta.dirname, '../../node_modules/.cache')

/** Daemons are in folders that may be missing in PATH. */
const path = [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].join(delimiter)
const isThere = (program: string) =>
  path.split(delimiter).some((folder) => existsSync(join(folder, program)))

const run = (program: string, args: readonly string[], cwd?: string) =>
  execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, PATH: path },
  })

/** Installs what is missing. It starts no daemon, because each test has its own. */
function installLibvirtPackages(): void {
  waitForInstalls()
  const missing = Object.entries(packages).filter(([program]) => !isThere(program))
  const isWhole =
    missing.length === 0 && globSync('/usr/lib/*/libvirt/connection-driver/*qemu*').length > 0
  if (isWhole) return
  const names = [...missing.map(([, name]) => name), 'libvirt-daemon-driver-qemu']
  installPackages(...names)
}

/** With ACPI it powers off when its power button was pressed, of which the kernel keeps count. */
const init = `#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox insmod /button.ko 2>/dev/null
echo muster guest is up
while true; do
  set -- $(/bin/busybox cat /sys/firmware/acpi/interrupts/ff_pwr_btn 2>/dev/null)
  [ "\${1:-0}" -gt 0 ] && /bin/busybox poweroff -f
  /bin/busybox sleep 1
done
`

/** A Linux that boots within seconds and then waits. Made in a temporary folder, then renamed. */
function buildGuest(folder: string): void {
  mkdirSync(cache, { recursive: true })
  const aside = mkdtempSync(join(cache, 'libvirt-guest-building-'))
  const depends = runApt('apt-cache', ['depends', kernelPackage])
  const [, kernel = kernelPackage] = /Depends: (linux-image-\S+)/.exec(depends) ?? []
  runApt('apt-get', ['download', '--quiet', kernel], aside)
  const [archive = ''] = globSync('*.deb', { cwd: aside })
  run('dpkg-deb', ['--extract', archive, 'kernel'], aside)
  const [image = ''] = globSync('kernel/boot/vmlinuz-*', { cwd: aside })
  copyFileSync(join(aside, image), join(aside, 'vmlinuz'))
  for (const part of ['bin', 'proc', 'sys', 'dev'])
    mkdirSync(join(aside, 'root', part), { recursive: true })
  const [button = ''] = globSync('kernel/lib/modules/*/kernel/drivers/acpi/button.ko', {
    cwd: aside,
  })
  copyFileSync(join(aside, button), join(aside, 'root/button.ko'))
  const busybox = path
    .split(delimiter)
    .map((place) => join(place, 'busybox'))
    .find(existsSync)
  copyFileSync(busybox ?? '', join(aside, 'root/bin/busybox'))
  writeFileSync(join(aside, 'root/init'), init)
  chmodSync(join(aside, 'root/init'), 0o755)
  run('sh', ['-c', 'cd root && find . | cpio --quiet -o -H newc | gzip > ../initrd'], aside)
  for (const rest of ['kernel', 'root', archive]) rmSync(join(aside, rest), { recursive: true })
  try {
    renameSync(aside, folder)
  } catch (error) {
    rmSync(aside, { recursive: true })
    // Another test may have finished first.
    if (!existsSync(folder)) throw error
  }
}

export interface InstalledLibvirt {
  /** To be searched for programs. */
  readonly path: string
  readonly kernel: string
  readonly initrd: string
}

/** Installs libvirt, QEMU and a guest for them, unless they exist. */
export function installLibvirt(): InstalledLibvirt {
  installLibvirtPackages()
  const folder = join(cache, 'libvirt-guest-2')
  if (!existsSync(folder)) buildGuest(folder)
  return { path, kernel: join(folder, 'vmlinuz'), initrd: join(folder, 'initrd') }
}
