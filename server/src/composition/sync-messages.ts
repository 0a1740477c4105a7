import type { SyncClient } from '../domain/sources/sync-client.ts'
import type { SyncStatistics } from '../metrics/sync-metrics.ts'
import type { TaskSettings } from './compose-task-runner.ts'
import type { SharedDatabase } from '../storage/database.ts'
import type { FinishedSpan } from '../tracing/tracer.ts'

/** The `workerData` of the sync thread. */
export interface SyncThreadData {
  readonly storage: SharedDatabase
  readonly secretKeyFile: string
  readonly reachable: readonly string[]
  readonly disappearanceHold: number
  readonly tasks: TaskSettings
  readonly runner: string
  /** The share of syncs that are traced; undefined unless traces are exported. */
  readonly traceRatio: number | undefined
}

export interface SyncRequest {
  readonly method: keyof SyncClient
  readonly parameters: readonly unknown[]
}

/** Messages of the sync thread, other than responses to calls. */
export type SyncMessage =
  | {
      readonly kind: 'servers-committed'
      readonly version: number
      readonly scopeIds: ReadonlySet<string>
    }
  | { readonly kind: 'statistics'; readonly statistics: SyncStatistics }
  | { readonly kind: 'span'; readonly span: FinishedSpan }
  | {
      readonly kind: 'log'
      readonly level: 'debug' | 'info' | 'warn'
      readonly fields: object
      readonly message: string
    }
