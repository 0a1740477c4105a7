import { mkdirSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { CacheMemory } from '../../domain/cache.ts'
import { PlatformError } from '../../domain/error.ts'
import { fromFailure } from '../../threads/failure.ts'
import type { Database } from '../database.ts'
import { freeBytes } from '../sqlite/explain-opening.ts'
import { openSqlite } from '../sqlite/open.ts'
import type { MomentMessage, MomentThreadData } from './moment-thread.ts'
import type { MomentFolder } from './write-moment.ts'

/** With the last commit that the moment has. */
interface Wanted extends MomentFolder {
  readonly base: MomentFolder | undefined
  readonly dataDir: string
  readonly memory: CacheMemory
  readonly queryTimeout: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: number) => void
}

const megabyte = 2 ** 20

/** Without a limit of its own, a thread that needs too much memory would end the process. */
const resourceLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 24 }

/** The copy must leave room for what is written meanwhile. */
async function requireSpace(source: Database, directory: string): Promise<void> {
  const { database, wal = 0 } = await source.sizes()
  const needed = 1.5 * (database + wal) + 64 * megabyte
  const free = freeBytes(directory)
  if (free >= needed) return
  throw new PlatformError(
    'ServiceUnavailable',
    `A moment of the past needs ${Math.ceil(needed / megabyte)} MB of disk in the data directory. ${Math.floor(free / megabyte)} MB are free.`,
    { retryAfter: 60 },
  )
}

function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new PlatformError(
      'ServiceUnavailable',
      'A moment of the past needs a data directory that can be written.',
      { cause, retryAfter: 60 },
    )
  }
}

const threadEnded = () =>
  new PlatformError(
    'ServiceUnavailable',
    'The moment of the past could not be built, because its thread has ended. Try again.',
    { retryAfter: 5 },
  )

/** Resolves when a thread has written the file, and has ended. An abort ends the thread. */
async function writeFile(workerData: MomentThreadData, { signal, onProgress }: Wanted) {
  const thread = new Worker(new URL('./moment-thread.ts', import.meta.url), {
    workerData,
    resourceLimits,
  })
  let error: Error | undefined = threadEnded()
  const stop = () => void thread.terminate()
  signal.addEventListener('abort', stop)
  thread.on('message', (message: MomentMessage) => {
    if ('progress' in message) return onProgress(message.progress)
    error = message.failure && fromFailure(message.failure)
  })
  thread.on('error', (cause: Error) => (error = cause))
  await new Promise((resolve) => thread.once('exit', resolve))
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (error) throw error
}

/**
 * Builds a database with the servers as they were after a commit. It is a SQLite file on both engines: a copy
 * of another moment or of the current servers, in which changes are undone, or done again.
 */
export async function buildMoment(source: Database, wanted: Wanted): Promise<Database> {
  const { commit, base, dataDir, directory, queryTimeout, memory, signal } = wanted
  signal.throwIfAborted()
  makeFolder(directory)
  await requireSpace(source, directory)
  signal.throwIfAborted()
  const shared = source.engine === 'postgres' ? source.share() : undefined
  await writeFile(
    { source: shared?.engine === 'postgres' ? shared : dataDir, base, commit, directory },
    wanted,
  )
  return await openSqlite(directory, async () => {}, queryTimeout, undefined, memory)
}
