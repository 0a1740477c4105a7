import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProgressOutput } from '../demo-port.ts'
import { computeStamp, readStamp, writeStamp } from './console-stamp.ts'

interface BuildFolders {
  readonly repository: string
  /** The output folder. */
  readonly folder: string
}

const longestBuild = 180_000
/** The first lines of a failed build's output usually name the cause. */
const maxLines = 20

/** Waits for the lock file, which contains the process id of the builder. Only one process builds at a time. */
async function acquireLock(lock: string): Promise<void> {
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (isBuilding(lock)) await pause(200)
      else rmSync(lock, { force: true })
    }
  }
}

/** Whether the process that holds the lock is still running. */
function isBuilding(lock: string): boolean {
  try {
    const isFresh = Date.now() - statSync(lock).mtimeMs < longestBuild
    const builder = Number(readFileSync(lock, 'utf8'))
    // An empty file: the process id is not written yet.
    return isFresh && (builder === 0 || process.kill(builder, 0))
  } catch {
    return false
  }
}

async function run({ repository }: BuildFolders): Promise<string | undefined> {
  const build = spawn(process.execPath, [join(repository, 'console/build.ts')], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: longestBuild,
    env: { ...process.env, NO_COLOR: '1' },
  })
  const [stderr, [code]] = await Promise.all([text(build.stderr), once(build, 'close')])
  return code === 0 ? undefined : stderr.split('\n').slice(0, maxLines).join('\n')
}

/** Builds the console if it is missing or out of date. A failed build does not prevent the start. */
export async function buildConsole(folders: BuildFolders, output: ProgressOutput): Promise<void> {
  const { repository, folder } = folders
  if (!existsSync(join(repository, 'console/build.ts'))) return
  const isCurrent = () => readStamp(folder) === computeStamp(repository)
  if (isCurrent()) return
  const lock = join(repository, 'node_modules/.cache/muster-console.lock')
  await acquireLock(lock)
  try {
    if (isCurrent()) return
    output.write('Building the console, which takes a few seconds the first time…\n')
    const start = performance.now()
    const stamp = computeStamp(repository)
    const stderr = await run(folders)
    if (stderr !== undefined) {
      output.write(`The console could not be built; everything else works.\n${stderr}\n`)
      return
    }
    writeStamp(folder, stamp)
    const seconds = (performance.now() - start) / 1_000
    output.write(`The console is built (${seconds.toFixed(1)} s).\n`)
  } finally {
    rmSync(lock, { force: true })
  }
}
