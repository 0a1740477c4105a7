import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { native } from './native.ts'

export const processors = ['x64', 'arm64'] as const
type Processor = (typeof processors)[number]

interface Locked {
  readonly version: string
  readonly integrity: string
}

/** Runs with the Node of the archive, through links, too. */
const launcher = `#!/bin/sh
folder=$(dirname "$(readlink -f "$0")")
exec "$folder/node" "$folder/../muster.mjs" "$@"
`

/**
 * Makes an archive of the build that runs on Linux without npm and without Node on the machine. Returns
 * its path.
 */
export function createArchive(
  repository: string,
  build: string,
  processor: Processor,
  compressionLevel = 6,
): string {
  const { version } = JSON.parse(readFileSync(join(build, 'package.json'), 'utf8')) as Locked
  const name = `muster-${version}-linux-${processor}`
  const aside = mkdtempSync(join(tmpdir(), 'muster-archive-'))
  const folder = join(aside, name)
  const ofProcessor = `${native}-linux-${processor}-gnu`
  // Of the native packages, only the one for this processor.
  cpSync(build, folder, {
    recursive: true,
    filter: (path) => !path.startsWith(join(build, 'node_modules', `${native}-`)),
  })
  install(repository, ofProcessor, join(folder, 'node_modules', ofProcessor))
  const node = join(aside, 'node')
  install(repository, `node-linux-${processor}`, node)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  cpSync(join(node, 'bin/node'), join(bin, 'node'))
  cpSync(join(node, 'LICENSE'), join(bin, 'LICENSE.node'))
  writeFileSync(join(bin, 'muster'), launcher)
  for (const file of ['node', 'muster']) chmodSync(join(bin, file), 0o755)
  const archive = join(dirname(build), `${name}.tar.gz`)
  // The archive depends only on the files: not on the user or the time.
  const owner = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']
  const compression = ['-I', `gzip -n -${compressionLevel}`]
  execFileSync('tar', [
    '-C',
    aside,
    ...owner,
    '--mode=a+rX,go-w',
    ...compression,
    '-cf',
    archive,
    name,
  ])
  rmSync(aside, { recursive: true })
  return archive
}

/** Copies an installed package, or downloads the package of another processor. */
function install(repository: string, name: string, target: string): void {
  const installed = join(repository, 'node_modules', name)
  mkdirSync(dirname(target), { recursive: true })
  if (existsSync(installed)) cpSync(installed, target, { recursive: true })
  else download(repository, name, target)
}

function download(repository: string, name: string, target: string): void {
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const locked = lock.packages[`node_modules/${name}`]
  if (!locked) throw new Error(`package-lock.json does not contain ${name}`)
  const aside = mkdtempSync(join(tmpdir(), 'muster-download-'))
  const pack = ['pack', `${name}@${locked.version}`, '--silent', `--pack-destination=${aside}`]
  const file = join(aside, execFileSync('npm', pack, { cwd: aside, encoding: 'utf8' }).trim())
  if (`sha512-${hash('sha512', readFileSync(file), 'base64')}` !== locked.integrity) {
    throw new Error(`The checksum of ${name} is not that of package-lock.json`)
  }
  execFileSync('tar', ['-C', aside, '-xzf', file])
  renameSync(join(aside, 'package'), target)
  rmSync(aside, { recursive: true })
}
