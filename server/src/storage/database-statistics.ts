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

/** What the metrics tell of the database as one thread uses it: plain data, to be sent to another thread. */
export interface DatabaseCounts {
  /** In seconds. */
  readonly durations: Readonly<Record<StatementKind, HistogramCounts>>
  readonly errors: Readonly<Record<StatementKind, number>>
  /** PostgreSQL only. */
  readonly pools: Readonly<Record<string, PoolCounts>>
  readonly queues: Readonly<Record<string, QueueCounts>>
}

const forEachKind = <Value>(make: (kind: StatementKind) => Value) =>
  Object.fromEntries(kinds.map((kind) => [kind, make(kind)])) as Record<StatementKind, Value>

/** Measures how long statements take, and counts those that fail. */
export function createDatabaseStatistics() {
  const durations = forEachKind(() => createHistogram(bounds))
  const errors = forEachKind(() => 0)

  /** A violation is an answer of the database, not an error. */
  function note(kind: StatementKind, start: number, error?: unknown): void {
    durations[kind].observe((performance.now() - start) / 1_000)
    if (error !== undefined && !(error instanceof Violation)) errors[kind] += 1
  }

  return {
    async measure<Result>(kind: StatementKind, work: () => Promise<Result>): Promise<Result> {
      const start = performance.now()
      try {
        const result = await work()
        note(kind, start)
        return result
      } catch (error) {
        note(kind, start, error)
        throw error
      }
    },
    /** For Kysely, which calls it after each query. */
    noteQuery(event: { level: 'query' | 'error'; queryDurationMillis: number }): void {
      durations.read.observe(event.queryDurationMillis / 1_000)
      if (event.level === 'error') errors.read += 1
    },
    read: (): Pick<DatabaseCounts, 'durations' | 'errors'> => ({
      durations: forEachKind((kind) => durations[kind].read()),
      errors: { ...errors },
    }),
  }
}
export type DatabaseStatistics = ReturnType<typeof createDatabaseStatistics>
