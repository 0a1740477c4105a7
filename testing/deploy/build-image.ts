import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { repository } from '../../server/src/testing/spawn-muster.ts'
import { chrootCommand, createDebianRoot, home, release, shareDownloads } from './chroot.ts'
import { createIgnore, parseDockerfile, type Stage } from './dockerfile.ts'

const dockerFolder = join(repository, 'deploy/docker')
const isIgnored = createIgnore(readFileSync(join(dockerFolder, 'Dockerfile.dockerignore'), 'utf8'))
export const stages = parseDockerfile(readFileSync(join(dockerFolder, 'Dockerfile'), 'utf8'))

const copyTree = (from: string, to: string) => {
  mkdirSync(dirname(to), { recursive: true })
  execFileSync('cp', ['-a', from, to])
}

function runInRoot(
  root: string,
  script: string,
  folder = '/',
  volumes: Readonly<Record<string, string>> = {},
): void {
  const environment = {
    HOME: home,
    npm_config_prefer_offline: 'true',
    DEBIAN_FRONTEND: 'noninteractive',
  }
  const command = ['sh', '-c', script]
  const [program, ...args] = chrootCommand({
    root,
    command,
    environment,
    folder,
    volumes,
    user: '0:0',
  })
  execFileSync(program, args, { stdio: 'pipe' })
}

/** What the base image has, as far as the Dockerfile uses it. No image can be pulled here. */
function createBase({ base }: Stage, root: string): void {
  copyTree(createDebianRoot(), root)
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'))
  const node = /^node:([\d.]+)-bookworm-slim$/.exec(base)
  if (!node) {
    if (!/^debian:12\.\d+-slim$/.test(base)) throw new Error(`${base} is not ${release}`)
    return
  }
  if (node[1] !== process.versions.node) throw new Error(`${base}: tests run ${process.version}`)
  copyTree(process.execPath, join(root, 'usr/local/bin/node'))
  runInRoot(root, 'apt-get update && apt-get install -y libatomic1')
  // The npm that runs the tests.
  const npm = dirname(dirname(process.env['npm_execpath'] ?? ''))
  copyTree(npm, join(root, 'usr/local/lib/node_modules/npm'))
  execFileSync('ln', [
    '-s',
    '../lib/node_modules/npm/bin/npm-cli.js',
    join(root, 'usr/local/bin/npm'),
  ])
}

/** COPY [--from=STAGE] SOURCE TARGET */
function copy(text: string, folder: string, root: string, rootOf: (stage: string) => string): void {
  const [, stage, source = '', target = ''] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(text) ?? []
  const to = join(root, target === '.' ? folder : target)
  if (stage !== undefined) return copyTree(join(rootOf(stage), source), to)
  const from = join(repository, source)
  const isContext = (path: string) => {
    const name = relative(repository, path)
    return name === '' || !isIgnored(name)
  }
  cpSync(from, to, { recursive: true, filter: isContext })
}

/** Runs the steps of the Dockerfile in roots of Debian. Returns the root of the last stage. */
export function buildImage(place: string): string {
  const rootOf = (stage: string) => join(place, stage === '' ? 'image' : stage)
  for (const stage of stages) {
    const root = rootOf(stage.name)
    createBase(stage, root)
    const volumes = stage.name === '' ? {} : shareDownloads(root)
    let folder = '/'
    for (const { name, text } of stage.instructions) {
      if (name === 'WORKDIR') {
        folder = text
        mkdirSync(join(root, folder), { recursive: true })
      } else if (name === 'COPY') copy(text, folder, root, rootOf)
      else if (name === 'RUN') runInRoot(root, text, folder, volumes)
    }
  }
  return rootOf('')
}
