import type {
  AccountAccess,
  AccountRule,
  AccountSync,
  AccountSyncRun,
  AccountWarning,
} from '@muster/contract'
import type { SourceSettings } from './source.ts'

/** The settings of an account. Times are milliseconds since 1970. */
export interface Account {
  readonly id: string
  readonly name: string
  readonly provider: string
  readonly brand: string
  readonly address: string
  readonly options: SourceSettings['options']
  readonly project_id: string
  /** Seconds between complete scans. */
  readonly period: number
  /** Seconds for which servers missing in large numbers are held; null for the process's default. */
  readonly disappearance_hold: number | null
  readonly enabled: boolean
  readonly access: AccountAccess
  /** Actions that run at once. */
  readonly max_actions: number
  /** Seconds that one request to the source may take. */
  readonly request_timeout: number
  readonly mapping: readonly AccountRule[]
  readonly created_at: number
  /** Increases with each change of the settings above. */
  readonly revision: number
  /** Deleted by a user, but its servers are not removed yet. */
  readonly isBeingDeleted: boolean
}

/** The result of a scan. */
export interface SyncCounts {
  readonly seen: number
  readonly created: number
  readonly changed: number
  readonly gone: number
}

/** Something an operator should know, although the account works. */
export interface SyncWarning extends Omit<AccountWarning, 'until'> {
  /** When Muster acts on it; null if it does not act by itself. */
  readonly until: number | null
}

/** The state of the sync of an account. */
export interface SyncRecord extends SyncCounts {
  /** The process that holds the lease, and when the lease expires. */
  readonly runner: string
  readonly leased_until: number
  readonly is_running: boolean
  readonly started_at: number | null
  /** Of the last complete scan, like the counts while no scan is running. */
  readonly finished_at: number | null
  readonly duration_ms: number
  /** The last error, for an operator; empty if there is none. */
  readonly error: string
  readonly error_field: AccountSync['error_field']
  /** When the first sync began that failed, as a whole or in a region, since the last one that did not. */
  readonly failing_since: number | null
  /** Consecutive failures. */
  readonly failures: number
  readonly next_at: number
  /** When the source last answered properly, or was first contacted. */
  readonly answered_at: number
  /** Whether its servers were set to unknown because the source does not answer. */
  readonly is_unreachable: boolean
  /** The revision of the account whose mapping was last applied to its servers. */
  readonly mapped_revision: number
  readonly warnings: readonly SyncWarning[]
  /** Servers missing since this time or earlier were confirmed as gone; 0 if none were. */
  readonly confirmed_gone: number
}

/** A sync that has ended. */
export interface SyncRun extends SyncCounts {
  readonly started_at: number
  readonly finished_at: number
  readonly duration_ms: number
  readonly result: AccountSyncRun['result']
  readonly error: string
}

/** Whether a region or a service of the source fails while the others work. */
export const isDegraded = ({ warnings }: SyncRecord): boolean =>
  warnings.some(({ kind }) => kind === 'region')

export interface AttachedAccount {
  readonly account: Account
  readonly sync: SyncRecord
}
