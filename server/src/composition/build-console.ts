import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProgressOutput } from '../demo-port.ts'
import { drawStamp, findStamp, keepStamp } from './console-stamp.ts'

interface BuildFolders {
  readonly repository: string
  /** Where the built console goes. */
  readonly folder: string
}

const longestBuild = 180_000
/** Of what a build that failed has to say: the first of it tells most. */
const maxLines = 20

/** Taken by who builds, and named after them: two who start at once would write over each other's files. */
async function takeTurn(lock: string): Promise<void> {
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

/** Whether whoever took the turn is still there. */
function isBuilding(lock: string): boolean {
  try {
    const isFresh = Date.now() - statSync(lock).mtimeMs < longestBuild
    const builder = Number(readFileSync(lock, 'utf8'))
    // Taken this very moment, and the name is yet to be written.
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
  const [complaints, [code]] = await Promise.all([text(build.stderr), once(build, 'close')])
  return code === 0 ? undefined : complaints.split('\n').slice(0, maxLines).join('\n')
}

/** Makes the console where it is missing or older than what it is made from. Without it, all else works. */
export async function buildConsole(place: BuildFolders, output: ProgressOutput): Promise<void> {
  const { repository, folder } = place
  if (!existsSync(join(repository, 'console/build.ts'))) return
  const isCurrent = () => findStamp(folder) === drawStamp(repository)
  if (isCurrent()) return
  const lock = join(repository, 'node_modules/.cache/muster-console.lock')
  await takeTurn(lock)
  try {
    if (isCurrent()) return
    output.write('Building the console, which takes a few seconds the first time…\n')
    const start = performance.now()
    const stamp = drawStamp(repository)
    const complaints = await run(place)
    if (complaints !== undefined) {
      output.write(`The console could not be built; everything else works.\n${complaints}\n`)
      return
    }
    keepStamp(folder, stamp)
    const seconds = (performance.now() - start) / 1_000
    output.write(`The console is built (${seconds.toFixed(1)} s).\n`)
  } finally {
    rmSync(lock, { force: true })
  }
}
