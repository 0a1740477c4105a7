import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { PlatformError } from '../../domain/error.ts'
import type { Requester } from '../../domain/inventory/ports.ts'
import type { Query, Row } from '../database.ts'
import { createSlowQueries, type Execution } from '../slow-queries.ts'

/** Questions on their way to a reader thread, and what comes back. */
export interface Errand {
  readonly id: number
  readonly queries: readonly { readonly sql: string; readonly parameters: unknown[] }[]
}
export type Findings = { readonly rows: Row[][] } | { readonly message: string }

export interface ReaderData {
  readonly file: string
  /** Holds the id of an errand that is to be stopped. */
  readonly stopped: Int32Array
}

interface Reader {
  readonly thread: Worker
  readonly stopped: Int32Array
  underway: { resolve(rows: Row[][]): void; reject(error: Error): void } | undefined
}

/** A thread that has not stopped after so long is replaced. */
const longestGrace = 1_000

const closed = () =>
  new PlatformError('ServiceUnavailable', 'The database is closed: the process is shutting down.', {
    retryAfter: 1,
  })

/**
 * A few threads for reads that may take long, so that nobody else waits for them. Each is started
 * when it is first needed: most installations get by with one.
 */
export function createReaders(file: string, timeout: number) {
  const slots = Math.max(3, Math.min(4, availableParallelism()))
  const idle: Reader[] = []
  const all = new Set<Reader>()
  /** Those that still run a query that nobody waits for. */
  const replaced = new Set<Reader>()
  let isClosed = false
  let errands = 0

  function start(): Reader {
    const stopped = new Int32Array(new SharedArrayBuffer(4))
    const thread = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      workerData: { file, stopped } satisfies ReaderData,
    })
    const reader: Reader = { thread, stopped, underway: undefined }
    all.add(reader)
    thread.on('message', (findings: Findings) => {
      const errand = reader.underway
      reader.underway = undefined
      if (replaced.has(reader)) void thread.terminate()
      else idle.push(reader)
      if ('rows' in findings) errand?.resolve(findings.rows)
      else errand?.reject(new Error(findings.message))
    })
    const end = (error: Error) => {
      all.delete(reader)
      replaced.delete(reader)
      const at = idle.indexOf(reader)
      if (at !== -1) idle.splice(at, 1)
      reader.underway?.reject(error)
      reader.underway = undefined
    }
    thread.on('error', end)
    thread.on('exit', () => end(isClosed ? closed() : new Error('a reader thread has ended')))
    thread.unref()
    return reader
  }

  /**
   * A query notices in `check_stop`. One that does not get there keeps its thread, and the next query
   * gets a new one; there are never more such threads than slots.
   */
  function stop(reader: Reader, id: number, underway: Reader['underway']): void {
    Atomics.store(reader.stopped, 0, id)
    setTimeout(
      () => {
        if (reader.underway !== underway || replaced.size >= slots) return
        replaced.add(reader)
        reader.underway = undefined
        underway?.reject(new Error('a reader thread did not stop in time'))
      },
      Math.min(longestGrace, timeout),
    ).unref()
  }

  function execute(queries: readonly Query[]): Execution {
    if (isClosed) return { rows: Promise.reject(closed()), stop: () => {} }
    const reader = idle.pop() ?? start()
    const id = (errands += 1)
    const { promise: rows, ...underway } = Promise.withResolvers<Row[][]>()
    reader.underway = underway
    reader.thread.postMessage({
      id,
      queries: queries.map(({ sql, parameters }) => ({ sql, parameters: [...parameters] })),
    } satisfies Errand)
    return { rows, stop: () => stop(reader, id, underway) }
  }

  const run = createSlowQueries({ slots, timeout }, execute)

  return {
    async run(queries: readonly Query[], requester: Requester): Promise<Row[][]> {
      if (isClosed) throw closed()
      return await run(queries, requester)
    },
    async close(): Promise<void> {
      isClosed = true
      // Terminating a thread waits for its statement.
      for (const { stopped } of all) Atomics.store(stopped, 0, errands)
      await Promise.all([...all].map(({ thread }) => thread.terminate()))
    },
  }
}
