import { once } from 'node:events'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import type { StatementResult, Statements } from '../database.ts'
import { PlatformError } from '../../domain/error.ts'
import { Violation } from '../violation.ts'
import { unmet } from './unmet.ts'

/** Statements on their way to the writer thread. */
export type Unit = readonly {
  readonly sql: string
  readonly parameters: (string | number | null | Uint8Array)[]
  readonly required: string | undefined
}[]
export type Batch = readonly Unit[]
export type Result = { readonly outcomes: StatementResult[] } | { readonly failure: Failure }

/** What went wrong, as it crosses from thread to thread. */
export interface Failure {
  readonly message: string
  readonly code: number
}

interface Waiting {
  readonly unit: Unit
  resolve(outcomes: StatementResult[]): void
  reject(error: Error): void
}

/** SQLite's extended result codes for what the stores want to tell apart. */
const violations: Readonly<Record<number, Violation['kind']>> = {
  [unmet]: 'unmet',
  787: 'foreign-key',
  1555: 'unique',
  2067: 'unique',
}

/** Busy, locked, out of memory, read-only, I/O error, full, cannot open: another time it may work. */
const passing: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14])

function toError({ message, code }: Failure): Error {
  const error = new Error(message)
  const kind = violations[code]
  if (kind === 'unmet') return new Violation(kind, { reason: message })
  if (kind) return new Violation(kind, { cause: error })
  return passing.has(code & 0xff) ? unavailable(error) : error
}

const unavailable = (cause: Error) =>
  new PlatformError('ServiceUnavailable', 'The database cannot write now. Try again.', {
    cause,
    retryAfter: 1,
  })

/** So many are sent at once at most: the thread starts on the first while the rest are still coming. */
const sentAtOnce = 16
/** From so many statements on a write goes by itself: it is under way while the next one is made. */
const many = 64

/** A line to the writer thread. */
interface Line {
  postMessage(message: unknown): void
  on(event: 'message', listener: (results: Result[]) => void): unknown
}

/** Hands writes to the writer thread, which commits together all that have arrived. */
function createClient(line: Line) {
  const sent: Waiting[] = []
  let unsent: Waiting[] = []
  let broken: Error | undefined

  function send(): void {
    if (unsent.length === 0) return
    const batch: Batch = unsent.map(({ unit }) => unit)
    sent.push(...unsent)
    unsent = []
    line.postMessage(batch)
  }

  // Results come in the order in which the units went.
  line.on('message', (results: Result[]) => {
    const settled = sent.splice(0, results.length)
    for (const [index, result] of results.entries()) {
      if ('outcomes' in result) settled[index]?.resolve(result.outcomes)
      else settled[index]?.reject(toError(result.failure))
    }
  })

  return {
    commit(statements: Statements): Promise<StatementResult[]> {
      const unit = statements.map(({ sql, parameters, required }) => ({
        sql,
        parameters: parameters as (string | number | null | Uint8Array)[],
        required,
      }))
      return new Promise((resolve, reject) => {
        if (broken) return reject(unavailable(broken))
        unsent.push({ unit, resolve, reject })
        if (unsent.length === sentAtOnce || unit.length >= many) send()
        else if (unsent.length === 1) setImmediate(send)
      })
    },
    /** Once its thread has ended nobody can know what it had still committed. */
    isBroken: () => broken !== undefined,
    send,
    fail(error: Error): void {
      broken ??= error
      for (const { reject } of [...sent.splice(0), ...unsent.splice(0)]) reject(unavailable(error))
    },
  }
}

/** Little is alive in it but the batches at hand: with these V8 collects what is left of them sooner. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

/** Starts the one thread that writes. */
export function startWriter(file: string) {
  const thread = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: file,
    resourceLimits,
  })
  const client = createClient(thread)
  thread.on('error', client.fail)
  thread.on('exit', () => client.fail(new Error('the writer thread has ended')))

  return {
    commit: client.commit,
    isBroken: client.isBroken,
    /** A line of its own for another thread. */
    share(): MessagePort {
      const { port1, port2 } = new MessageChannel()
      thread.postMessage(port1, [port1])
      return port2
    },
    async close(): Promise<void> {
      if (client.isBroken()) return
      client.send()
      thread.postMessage('close')
      await once(thread, 'exit')
    },
  }
}

/** The line to the writer thread that somebody else has started. */
export function joinWriter(port: MessagePort) {
  const client = createClient(port)
  port.on('close', () => client.fail(new Error('the writer thread has ended')))
  return {
    commit: client.commit,
    isBroken: client.isBroken,
    close: () => port.close(),
  }
}
