import { hash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { repository, spawnProcess } from '../../server/src/testing/spawn-muster.ts'

/** Runs a command that must succeed, and returns what it prints. */
export async function run(
  lifetime: Lifetime,
  command: readonly [string, ...string[]],
  options: { environment?: Record<string, string>; umask?: number } = {},
): Promise<string> {
  const { code, stdout, stderr } = await spawnProcess(lifetime, { command, ...options }).exited
  if (code !== 0) throw new Error(`${command.join(' ')}: ${code}\n${stdout}${stderr}`)
  return stdout
}

/** Copies the files of the repository to another folder. Installed packages become hard links. */
async function copyRepository(lifetime: Lifetime, copy: string): Promise<void> {
  const listed = await run(lifetime, [
    'git',
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
  ])
  const files = listed.split('\0').filter((file) => /^[^/]+$|^(?!bench|testing)/.test(file))
  for (const file of files) {
    if (file === '') continue
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(repository, file), join(copy, file))
  }
  // The caches of tests are not needed.
  const modules = globSync(['node_modules/*', 'node_modules/.bin', 'server/node_modules'], {
    cwd: repository,
  })
  mkdirSync(join(copy, 'node_modules'))
  const copyAll = 'cd "$0" && { cp -al --parents "$@" 2>/dev/null || cp -a --parents "$@"; }'
  await run(lifetime, ['sh', '-c', copyAll, repository, ...modules, copy])
}

/** Builds this repository into `folder/one`, and a copy of it elsewhere into `folder/two`. */
export async function buildTwice(lifetime: Lifetime, folder: string): Promise<void> {
  const copy = join(folder, 'another/place')
  await copyRepository(lifetime, copy)
  const build = async (from: string, name: string, umask: number) =>
    await run(lifetime, [process.execPath, join(from, 'packaging/build.ts'), join(folder, name)], {
      umask,
    })
  await Promise.all([build(repository, 'one', 0o077), build(copy, 'two', 0o022)])
}

/** The mode and the hash of every file and folder. */
export const describeTree = (folder: string): Record<string, string> =>
  Object.fromEntries(
    globSync('**', { cwd: folder })
      .sort()
      .map((name) => {
        const stats = statSync(join(folder, name))
        const content = stats.isFile() ? hash('sha256', readFileSync(join(folder, name))) : ''
        return [name, `${(stats.mode & 0o777).toString(8)} ${content}`]
      }),
  )
