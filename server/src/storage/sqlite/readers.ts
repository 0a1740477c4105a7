import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { PlatformError } from '../../domain/error.ts'
import type { Question, Row } from '../database.ts'

/** Questions on their way to a reader thread, and what comes back. */
export interface Errand {
  readonly questions: readonly { readonly sql: string; readonly parameters: unknown[] }[]
}
export type Findings = { readonly rows: Row[][] } | { readonly message: string }

interface Waiting extends Errand {
  resolve(rows: Row[][]): void
  reject(error: Error): void
}

/** So many may wait at most: who comes later is better told to try again. */
const longestQueue = 256

const overrun = () =>
  new PlatformError('ServiceUnavailable', 'Too many slow queries at once: try again shortly.', {
    retryAfter: 1,
  })

const ended = () =>
  new PlatformError('ServiceUnavailable', 'The storage is closed.', { retryAfter: 1 })

/**
 * A few threads for reads that may take long, so that nobody else waits for them. Each is started
 * when it is first needed: most installations get by with one.
 */
export function createReaders(file: string) {
  const most = Math.max(2, Math.min(4, availableParallelism() - 1))
  const idle: Worker[] = []
  const all = new Set<Worker>()
  const queue: Waiting[] = []
  const underway = new Map<Worker, Waiting>()
  let isClosed = false

  function start(): Worker {
    const thread = new Worker(new URL('./reader-thread.ts', import.meta.url), { workerData: file })
    all.add(thread)
    thread.on('message', (findings: Findings) => {
      const errand = underway.get(thread)
      underway.delete(thread)
      if ('rows' in findings) errand?.resolve(findings.rows)
      else errand?.reject(new Error(findings.message))
      serve(thread)
    })
    const end = (error: Error) => {
      all.delete(thread)
      const at = idle.indexOf(thread)
      if (at !== -1) idle.splice(at, 1)
      underway.get(thread)?.reject(error)
      underway.delete(thread)
      if (!isClosed) next()
    }
    thread.on('error', end)
    thread.on('exit', () => end(new Error('a reader thread has ended')))
    thread.unref()
    return thread
  }

  function serve(thread: Worker): void {
    const errand = queue.shift()
    if (!errand) {
      idle.push(thread)
      return
    }
    underway.set(thread, errand)
    thread.postMessage({ questions: errand.questions } satisfies Errand)
  }

  function next(): void {
    if (queue.length === 0) return
    const thread = idle.pop() ?? (all.size < most ? start() : undefined)
    if (thread) serve(thread)
  }

  return {
    ask(questions: readonly Question[]): Promise<Row[][]> {
      if (isClosed) return Promise.reject(ended())
      if (queue.length >= longestQueue) return Promise.reject(overrun())
      return new Promise((resolve, reject) => {
        queue.push({
          questions: questions.map(({ sql, parameters }) => ({ sql, parameters: [...parameters] })),
          resolve,
          reject,
        })
        next()
      })
    },
    async close(): Promise<void> {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(ended())
      await Promise.all([...all].map((thread) => thread.terminate()))
    },
  }
}
