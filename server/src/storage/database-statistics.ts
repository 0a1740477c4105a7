import type { LogEvent } from 'kysely'
import type { QueueCounts } from '../domain/bounded-queue.ts'
import { createHistogram, type HistogramCounts } from '../domain/histogram.ts'
import { Violation } from './violation.ts'

/** Quick reads, queries that may be slow, commits, and commits of servers. */
const kinds = ['read', 'query', 'commit', 'servers'] as const
export type StatementKind = (typeof kinds)[number]

const bounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10,
]

export interface PoolCounts {
  readonly used: number
  readonly idle: number
  readonly waiting: number
  readonly max: number
}

/**
 * What the metrics show about one thread's use of the database: plain data that can be sent to another
 * thread.
 */
export interface DatabaseCounts {
  /** In seconds. */
  readonly durations: Readonly<Record<StatementKind, HistogramCounts>>
  readonly errors: Readonly<Record<StatementKind, number>>
  /** PostgreSQL only. */
  readonly pools: Readonly<Record<string, PoolCounts>>
  readonly queues: Readonly<Record<string, QueueCounts>>
}

/** A statement, or the statements of a commit, that has ended. */
interface ObservedStatement {
  readonly kind: StatementKind
  /** The text of the first query; undefined for commits. */
  readonly sql: string | undefined
  /** By `performance.now`. */
  readonly startedAt: number
  readonly isError: boolean
}
export type StatementListener = (statement: ObservedStatement) => void

const forEachKind = <Value>(make: (kind: StatementKind) => Value) =>
  Object.fromEntries(kinds.map((kind) => [kind, make(kind)])) as Record<StatementKind, Value>

/** Measures how long statements take, and counts those that fail. */
export function createDatabaseStatistics() {
  const durations = forEachKind(() => createHistogram(bounds))
  const errors = forEachKind(() => 0)
  let listener: StatementListener | undefined

  /** A violation is an answer of the database, not an error. */
  function note(kind: StatementKind, startedAt: number, error: unknown, sql?: string): void {
    const isError = error !== undefined && !(error instanceof Violation)
    durations[kind].observe((performance.now() - startedAt) / 1_000)
    if (isError) errors[kind] += 1
    listener?.({ kind, sql, startedAt, isError })
  }

  return {
    /** Queries are passed only for the listener. */
    async measure<Result>(
      kind: StatementKind,
      work: () => Promise<Result>,
      queries?: readonly { readonly sql: string }[],
    ): Promise<Result> {
      const start = performance.now()
      try {
        const result = await work()
        note(kind, start, undefined, queries?.[0]?.sql)
        return result
      } catch (error) {
        note(kind, start, error, queries?.[0]?.sql)
        throw error
      }
    },
    /** For Kysely, which calls it after each query. */
    noteQuery({ level, queryDurationMillis: ms, query: { sql } }: LogEvent): void {
      durations.read.observe(ms / 1_000)
      const isError = level === 'error'
      if (isError) errors.read += 1
      listener?.({ kind: 'read', sql, startedAt: performance.now() - ms, isError })
    },
    /** Calls the listener after each statement, in the asynchronous context of its caller. */
    observe(next: StatementListener): void {
      listener = next
    },
    read: (): Pick<DatabaseCounts, 'durations' | 'errors'> => ({
      durations: forEachKind((kind) => durations[kind].read()),
      errors: { ...errors },
    }),
  }
}
export type DatabaseStatistics = ReturnType<typeof createDatabaseStatistics>
