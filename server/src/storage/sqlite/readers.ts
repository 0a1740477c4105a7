import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { PlatformError } from '../../domain/error.ts'
import type { Requester } from '../../domain/requester.ts'
import { createCaller } from '../../threads/worker-calls.ts'
import type { Query, Row } from '../database.ts'
import type { DatabaseStatistics } from '../database-statistics.ts'
import { unpackRows, type PackedRows } from './packed-rows.ts'
import { createSlowQueries, type Execution } from '../slow-queries.ts'

/** Queries for a reader thread. Ids grow, so that "stop everything up to this one" is one number. */
export interface ReadRequest {
  readonly id: number
  readonly queries: readonly { readonly sql: string; readonly parameters: unknown[] }[]
}

export interface ReaderData {
  readonly file: string
  /** Shared memory with the id of the last request to stop. */
  readonly stopped: Int32Array
}

interface Reader {
  readonly thread: Worker
  readonly stopped: Int32Array
  readonly call: (request: ReadRequest) => Promise<PackedRows[]>
  /** The id of the request that it works on. */
  running: number | undefined
}

/** Milliseconds after which a thread that has not stopped its query is replaced. */
const maxStopTime = 1_000

const closed = () =>
  new PlatformError('ServiceUnavailable', 'The database is closed: the process is shutting down.', {
    retryAfter: 1,
  })

/**
 * A few threads for slow queries, so that other requests do not wait for them. Each thread is
 * started when it is first needed: most installations need one.
 */
export function createReaders(
  file: string,
  timeout: number,
  measure: DatabaseStatistics['measure'],
) {
  const slots = Math.max(3, Math.min(4, availableParallelism()))
  const idle: Reader[] = []
  const all = new Set<Reader>()
  /** Threads that still run a query that nobody waits for. */
  const replaced = new Set<Reader>()
  let isClosed = false
  let lastId = 0

  function start(): Reader {
    const stopped = new Int32Array(new SharedArrayBuffer(4))
    const thread = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      workerData: { file, stopped } satisfies ReaderData,
    })
    const caller = createCaller<ReadRequest, PackedRows[], string>(thread, {
      toError: (message) => new Error(message),
    })
    const reader: Reader = { thread, stopped, call: caller.call, running: undefined }
    all.add(reader)
    const end = (error: Error) => {
      all.delete(reader)
      replaced.delete(reader)
      const at = idle.indexOf(reader)
      if (at !== -1) idle.splice(at, 1)
      caller.end(error)
    }
    thread.on('error', end)
    thread.on('exit', () => end(isClosed ? closed() : new Error('a reader thread has ended')))
    thread.unref()
    return reader
  }

  function release(reader: Reader): void {
    reader.running = undefined
    if (replaced.has(reader)) void reader.thread.terminate()
    else if (all.has(reader)) idle.push(reader)
  }

  /**
   * A query notices in `check_stop`. If it does not get there in time, the thread is abandoned with
   * it and the next query starts a new thread; there are never more such threads than slots.
   */
  function stop(reader: Reader, id: number, abandon: (error: Error) => void): void {
    Atomics.store(reader.stopped, 0, id)
    setTimeout(
      () => {
        if (reader.running !== id || replaced.size >= slots) return
        replaced.add(reader)
        abandon(new Error('a reader thread did not stop in time'))
      },
      Math.min(maxStopTime, timeout),
    ).unref()
  }

  function execute(queries: readonly Query[]): Execution {
    if (isClosed) return { rows: Promise.reject(closed()), stop: () => {} }
    const reader = idle.pop() ?? start()
    const id = (lastId += 1)
    reader.running = id
    const abandoned = Promise.withResolvers<never>()
    const request = {
      id,
      queries: queries.map(({ sql, parameters }) => ({ sql, parameters: [...parameters] })),
    }
    const answered = reader
      .call(request)
      .finally(() => release(reader))
      .then((results) => Promise.all(results.map(unpackRows)))
    return {
      rows: Promise.race([answered, abandoned.promise]),
      stop: () => stop(reader, id, abandoned.reject),
    }
  }

  const slowQueries = createSlowQueries({ slots, timeout }, (queries) => {
    const { rows, stop } = execute(queries)
    return { rows: measure('query', () => rows, queries), stop }
  })

  return {
    counts: slowQueries.counts,
    async run(queries: readonly Query[], requester: Requester): Promise<Row[][]> {
      if (isClosed) throw closed()
      return await slowQueries.run(queries, requester)
    },
    async close(): Promise<void> {
      isClosed = true
      // Terminating a thread waits for its statement.
      for (const { stopped } of all) Atomics.store(stopped, 0, lastId)
      await Promise.all([...all].map(({ thread }) => thread.terminate()))
    },
  }
}
