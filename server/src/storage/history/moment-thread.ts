import { parentPort, workerData } from 'node:worker_threads'
import { PlatformError } from '../../domain/error.ts'
import { toFailure, type Failure } from '../../threads/failure.ts'
import { lowerPriority } from '../../threads/lower-priority.ts'
import type { SharedDatabase } from '../database.ts'
import { toError } from '../sqlite/errors.ts'
import { describeFailure } from '../sqlite/run-statement.ts'
import { openDirectory } from '../sqlite/open-directory.ts'
import { writeMoment, type MomentFolder } from './write-moment.ts'

/** The `workerData` of the thread. */
export interface MomentThreadData extends MomentFolder {
  /** The data directory, or how to connect to PostgreSQL. */
  readonly source: string | Extract<SharedDatabase, { engine: 'postgres' }>
  readonly base: MomentFolder | undefined
}

/** The last one is a failure, or that the moment is complete. */
export type MomentMessage =
  | { readonly progress: number }
  | { readonly failure: Failure | undefined }

if (!parentPort) throw new Error('a moment must be built in a worker thread')
const port = parentPort
// Requests have priority over moments.
lowerPriority()
const { source, ...given } = workerData as MomentThreadData
const tell = (message: MomentMessage) => port.postMessage(message)
const wanted = { ...given, onProgress: (progress: number) => tell({ progress }) }

/** A database that only this thread reads. */
async function openSource() {
  if (typeof source === 'string') return openDirectory(source)
  const { joinPostgres } = await import('../postgres/open.ts')
  const { url, limits } = source
  // No other request waits for its statements.
  const patient = { ...limits, timeout: limits.syncTimeout, slowTimeout: limits.syncTimeout }
  return await joinPostgres(url, () => {}, patient)
}

async function build(): Promise<void> {
  const database = await openSource()
  try {
    await writeMoment(database, wanted)
  } finally {
    await database.close()
  }
}

/** A full disk, for example, has an explanation. What is unexpected ends the thread. */
function explain(error: unknown): PlatformError {
  const explained = error instanceof PlatformError ? error : toError(describeFailure(error))
  if (explained instanceof PlatformError) return explained
  throw error
}

await build().then(
  () => tell({ failure: undefined }),
  (error: unknown) => tell({ failure: toFailure(explain(error)) }),
)
