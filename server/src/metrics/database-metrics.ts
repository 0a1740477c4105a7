import type { DatabaseSizes } from '../storage/database.ts'
import type { DatabaseCounts, PoolCounts } from '../storage/database-statistics.ts'
import { histogramSamples, single, type Metric, type Sample } from './metric.ts'

/** By the thread that uses the database: `serve` for requests, `sync` for scans. */
type ReadThreads = () => ReadonlyMap<string, DatabaseCounts>

const states = ['used', 'idle', 'max'] as const

/** Metrics of the database, by thread of this process. */
export function createDatabaseMetrics(
  readThreads: ReadThreads,
  readSizes: () => DatabaseSizes | undefined,
): readonly Metric[] {
  const forEachThread = (samplesOf: (thread: string, counts: DatabaseCounts) => Sample[]) => () =>
    [...readThreads()].flatMap(([thread, counts]) => samplesOf(thread, counts))
  const forEachPool = (samplesOf: (labels: Record<string, string>, pool: PoolCounts) => Sample[]) =>
    forEachThread((thread, { pools }) =>
      Object.entries(pools).flatMap(([name, pool]) => samplesOf({ thread, pool: name }, pool)),
    )
  return [
    {
      name: 'muster_database_statement_duration_seconds',
      type: 'histogram',
      help: 'How long quick reads (read), searches and counts (query), commits (commit) and commits of servers (servers) take.',
      labels: ['thread', 'kind'],
      read: forEachThread((thread, { durations }) =>
        Object.entries(durations).flatMap(([kind, counts]) =>
          histogramSamples({ thread, kind }, counts),
        ),
      ),
    },
    {
      name: 'muster_database_errors_total',
      type: 'counter',
      help: 'Statements that failed, also those stopped at their time limit or because the client left.',
      labels: ['thread', 'kind'],
      read: forEachThread((thread, { errors }) =>
        Object.entries(errors).map(([kind, value]) => ({ labels: { thread, kind }, value })),
      ),
    },
    {
      name: 'muster_database_connections',
      type: 'gauge',
      help: 'Connections to the database server: used, idle and the maximum.',
      labels: ['thread', 'pool', 'state'],
      read: forEachPool((labels, pool) =>
        states.map((state) => ({ labels: { ...labels, state }, value: pool[state] })),
      ),
    },
    {
      name: 'muster_database_connection_waiting',
      type: 'gauge',
      help: 'Statements that wait for a connection to the database server.',
      labels: ['thread', 'pool'],
      read: forEachPool((labels, { waiting }) => [{ labels, value: waiting }]),
    },
    {
      name: 'muster_database_size_bytes',
      type: 'gauge',
      help: 'Size of the database.',
      read: () => single(readSizes()?.database),
    },
    {
      name: 'muster_database_wal_bytes',
      type: 'gauge',
      help: 'Size of the write-ahead log of the embedded database.',
      read: () => single(readSizes()?.wal),
    },
    {
      name: 'muster_database_available_bytes',
      type: 'gauge',
      help: 'Free space on the disk of the embedded database.',
      read: () => single(readSizes()?.available),
    },
  ]
}
