import type { QueueCounts } from '../domain/bounded-queue.ts'
import type { CacheMemory } from '../domain/cache.ts'
import type { Clock } from '../domain/clock.ts'
import type { EventDelivery } from '../domain/audit/deliver-events.ts'
import type { Health } from '../domain/health.ts'
import type { AccountStore } from '../domain/sources/ports.ts'
import type { SinkLag } from '../domain/audit/event-sink.ts'
import { createDeliveryMetrics } from '../metrics/delivery-metrics.ts'
import { createDatabaseMetrics } from '../metrics/database-metrics.ts'
import { createInventoryMetrics, type Stored } from '../metrics/inventory-metrics.ts'
import { createProcessMetrics } from '../metrics/process-metrics.ts'
import {
  createCacheMetrics,
  createHealthMetrics,
  createQueueMetrics,
} from '../metrics/runtime-metrics.ts'
import { createSyncMetrics, type SyncStatistics } from '../metrics/sync-metrics.ts'
import { createTraceMetrics } from '../metrics/trace-metrics.ts'
import type { Database, DatabaseSizes } from '../storage/database.ts'
import type { SpanCounts } from '../tracing/span-exporter.ts'
import { createReadStoredCounts } from '../storage/stored-counts.ts'

interface Parts {
  readonly version: string
  readonly database: Database
  readonly memory: CacheMemory
  readonly health: Health
  readonly accounts: Pick<AccountStore, 'all'>
  readonly syncStatistics: () => SyncStatistics | undefined
  /** By the name of the queue. */
  readonly queues: Readonly<Record<string, () => QueueCounts>>
  /** Milliseconds after which a session without requests ends. */
  readonly sessionIdle: number
  readonly serviceAccountUnused: number
  readonly deliveries: readonly EventDelivery[]
  readonly clock: Clock
  /** Absent unless traces are exported. */
  readonly spanCounts: (() => SpanCounts) | undefined
}

/** Stored data is counted again after this time, however often Prometheus asks. */
const maxAge = 15_000
/** A scrape does not wait longer for the database. */
const longestWait = 2_000

/** All metrics but those of requests. */
export function composeMetrics(parts: Parts) {
  const { version, database, memory, health, accounts, syncStatistics, queues, deliveries, clock } =
    parts
  const readStoredCounts = createReadStoredCounts(database)
  let stored: Stored | undefined
  let sizes: DatabaseSizes | undefined
  let lags: ReadonlyMap<string, SinkLag> = new Map()
  let refreshedAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | undefined

  async function readAgain(): Promise<void> {
    try {
      const [counts, all, fresh, sinks] = await Promise.all([
        readStoredCounts(clock(), {
          idle: parts.sessionIdle,
          unusedAfter: parts.serviceAccountUnused,
        }),
        accounts.all(),
        database.sizes(),
        Promise.all(deliveries.map(async ({ name, lag }) => [name, await lag()] as const)),
      ])
      stored = { ...counts, accounts: all }
      sizes = fresh
      lags = new Map(sinks)
    } catch {
      // Outdated numbers would look like current ones. `/readyz` and the log have the reason.
      stored = undefined
      sizes = undefined
      lags = new Map()
    }
    refreshedAt = performance.now()
    refreshing = undefined
  }

  async function refresh(): Promise<void> {
    if (performance.now() - refreshedAt < maxAge) return
    refreshing ??= readAgain()
    const late = Promise.withResolvers<void>()
    const limit = setTimeout(late.resolve, longestWait)
    await Promise.race([refreshing, late.promise]).finally(() => clearTimeout(limit))
  }

  const readThreads = () => {
    const sync = syncStatistics()?.database
    return new Map([['serve', database.counts()], ...(sync ? ([['sync', sync]] as const) : [])])
  }
  function readQueues(): Map<string, QueueCounts> {
    const sync = syncStatistics()
    return new Map([
      ...Object.entries(queues).map(([name, read]) => [name, read()] as const),
      ...Object.entries(database.counts().queues),
      ...Object.entries({ ...sync?.database.queues, ...(sync && { batches: sync.batches }) }).map(
        ([name, counts]) => [`sync_${name}`, counts] as const,
      ),
    ])
  }
  const own = createProcessMetrics()
  return {
    refresh,
    metrics: [
      ...createHealthMetrics(version, health),
      ...createInventoryMetrics(() => stored),
      ...createSyncMetrics(syncStatistics),
      ...createDeliveryMetrics(deliveries, () => lags, clock),
      ...createDatabaseMetrics(readThreads, () => sizes),
      ...createQueueMetrics(readQueues),
      ...createCacheMetrics(memory),
      ...own.metrics,
      ...createTraceMetrics(parts.spanCounts),
    ],
    stop: own.stop,
  }
}
