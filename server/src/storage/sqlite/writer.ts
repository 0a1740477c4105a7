import { once } from 'node:events'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import type { QueueCounts } from '../../domain/bounded-queue.ts'
import { createCaller } from '../../threads/worker-calls.ts'
import type { StatementResult, Statements } from '../database.ts'
import type { DatabaseStatistics, StatementKind } from '../database-statistics.ts'
import { toError, unavailable } from './errors.ts'
import { isLarge, type Failure, type Unit } from './writer-messages.ts'

const stopped = 'The database cannot write: its writer has stopped. Restart Muster.'
const threadEnded = () => unavailable(stopped, new Error('the writer thread has ended'))

/** The thread starts on the first commits of a burst while the rest are still being made. */
const maxBatch = 16

/** Sends commits to the writer thread. */
function createCommit(channel: Worker | MessagePort, { measure }: DatabaseStatistics) {
  const caller = createCaller<Unit, StatementResult[], Failure>(channel, { toError, maxBatch })
  const send = (statements: Statements, kind: StatementKind): Promise<StatementResult[]> => {
    const unit = statements.map(({ sql, parameters, rows, required }) => ({
      sql,
      parameters: parameters as Unit[number]['parameters'],
      rows: rows as Unit[number]['rows'],
      required,
    }))
    return measure(kind, () => caller.call(unit, isLarge(unit)))
  }
  /** Counts all unanswered commits as waiting, also those that are being written. */
  const counts = (): QueueCounts => {
    const { pending, total } = caller.counts()
    return { running: 0, waiting: pending, started: total, rejected: 0 }
  }
  const commit = (statements: Statements) => send(statements, 'commit')
  const commitServers = (statements: Statements) => send(statements, 'servers')
  return { caller, commit, commitServers, counts }
}

/** This thread holds little but the current commits. A small heap makes V8 collect them sooner. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 12 }

/** Starts the one thread that writes. */
export function startWriter(file: string, statistics: DatabaseStatistics) {
  const thread = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: file,
    resourceLimits,
  })
  const { caller, ...writing } = createCommit(thread, statistics)
  thread.on('error', (error) => caller.end(unavailable(stopped, error as Error)))
  thread.on('exit', () => caller.end(threadEnded()))

  return {
    ...writing,
    /** After the thread has ended, it is unknown which commits it completed. */
    hasEnded: caller.hasEnded,
    /** A channel of its own for another thread. */
    share(): MessagePort {
      const { port1, port2 } = new MessageChannel()
      thread.postMessage(port1, [port1])
      return port2
    },
    async close(): Promise<void> {
      if (caller.hasEnded()) return
      caller.flush()
      thread.postMessage('close')
      await once(thread, 'exit')
    },
  }
}

/** Uses the writer thread that another thread of this process has started. */
export function joinWriter(port: MessagePort, statistics: DatabaseStatistics) {
  const { caller, ...writing } = createCommit(port, statistics)
  port.on('close', () => caller.end(threadEnded()))
  return { ...writing, close: () => port.close() }
}
