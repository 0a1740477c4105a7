import { PlatformError } from '../domain/error.ts'
import { clientGone, createBoundedQueue } from '../domain/bounded-queue.ts'
import type { Requester } from '../domain/requester.ts'
import type { Query, Row } from './database.ts'

/** Queries that an engine is running. */
export interface Execution {
  /** Settles when the engine is done with them, also after `stop`. */
  readonly rows: Promise<Row[][]>
  readonly stop: () => void
}

interface Limits {
  /** How many executions may run at once. */
  readonly slots: number
  /** The deadline of each, in milliseconds. */
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
 * Runs slow queries on either engine: users take turns, each query has a deadline, and a query whose
 * client disconnects is removed from the queue or stopped.
 */
export function createSlowQueries(
  { slots, timeout }: Limits,
  start: (queries: readonly Query[]) => Execution,
) {
  const queue = createBoundedQueue({
    name: 'queries',
    capacity: slots,
    // One user never takes all slots, so that others find one free.
    perKey: Math.max(1, Math.floor(slots / 2)),
    maxWaiting,
    maxWaitingPerKey: maxWaitingPerUser,
    maxWait: timeout,
  })

  async function run(queries: readonly Query[], requester: Requester): Promise<Row[][]> {
    const { user, signal, isStreaming = false } = requester
    const release = await queue.acquire({
      key: user,
      getSignal: () => signal,
      isPatient: isStreaming,
    })
    const { rows, stop } = start(queries)
    // A stopped query holds its slot until the engine is done with it.
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
  return { run, counts: queue.counts }
}
