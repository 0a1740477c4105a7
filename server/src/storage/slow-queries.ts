import { PlatformError } from '../domain/error.ts'
import { clientGone, createBoundedQueue } from '../domain/bounded-queue.ts'
import type { Requester } from '../domain/inventory/ports.ts'
import type { Query, Row } from './database.ts'

/** Queries that an engine has begun. */
export interface Execution {
  /** Settles once the engine is done with them, also after they were stopped. */
  readonly rows: Promise<Row[][]>
  readonly stop: () => void
}

interface Limits {
  /** How many the engine runs at once. */
  readonly slots: number
  /** How long each may take, in milliseconds. */
  readonly timeout: number
}

export const defaultQueryTimeout = 10_000

const maxWaiting = 1_024
const maxWaitingPerUser = 64

const tooSlow = (timeout: number) =>
  new PlatformError(
    'ServiceUnavailable',
    `The query was stopped after ${timeout / 1_000} seconds. Narrow it, or try again later.`,
    { retryAfter: 5 },
  )

/**
 * Runs queries that may take long, whichever engine: users take turns, each query has a deadline,
 * and one whose client disconnects is dropped or stopped.
 */
export function createSlowQueries(
  { slots, timeout }: Limits,
  start: (queries: readonly Query[]) => Execution,
) {
  const queue = createBoundedQueue({
    name: 'queries',
    capacity: slots,
    // More would take the processors from others, though there are slots left.
    perKey: Math.max(1, Math.floor(slots / 2)),
    maxWaiting,
    maxWaitingPerKey: maxWaitingPerUser,
    maxWait: timeout,
  })

  return async function run(
    queries: readonly Query[],
    { user, signal }: Requester,
  ): Promise<Row[][]> {
    const release = await queue.acquire({ key: user, signal })
    const { rows, stop } = start(queries)
    // A stopped query keeps its slot until the engine is done with it.
    rows.then(release, release)
    return await new Promise((resolve, reject) => {
      const end = (error: Error) => {
        settle()
        stop()
        reject(error)
      }
      const endAborted = () => end(clientGone())
      const timer = setTimeout(() => end(tooSlow(timeout)), timeout)
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', endAborted)
      }
      signal?.addEventListener('abort', endAborted, { once: true })
      if (signal?.aborted === true) endAborted()
      rows.finally(settle).then(resolve, reject)
    })
  }
}
