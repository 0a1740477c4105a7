import type { QueueCounts } from '../domain/bounded-queue.ts'
import type { ScanCount } from '../domain/sources/scan-counts.ts'
import type { DatabaseCounts } from '../storage/database-statistics.ts'
import { single, type Metric } from './metric.ts'

/** What the sync thread reports about itself. */
export interface SyncStatistics {
  readonly database: DatabaseCounts
  readonly scans: readonly ScanCount[]
  /** How many accounts this process runs. */
  readonly leases: number
  readonly batches: QueueCounts
}

/** Metrics of the scans of this process. They appear once there is an account. */
export const createSyncMetrics = (read: () => SyncStatistics | undefined): readonly Metric[] => [
  {
    name: 'muster_scans_total',
    type: 'counter',
    help: 'Scans of this process by result: complete, failed (by the source) or postponed (by the database).',
    labels: ['provider', 'result'],
    read: () =>
      (read()?.scans ?? []).map(({ provider, result, count }) => ({
        labels: { provider, result },
        value: count,
      })),
  },
  {
    name: 'muster_account_leases',
    type: 'gauge',
    help: 'Accounts that this process scans. Other processes scan the others.',
    read: () => single(read()?.leases ?? 0),
  },
]
