import type { AccountRule, AccountWarning } from '@muster/contract'
import type { SourceSettings } from './source.ts'

/** An account as it was set up. Times are milliseconds since 1970. */
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
  /** Seconds that servers missing in large numbers are kept; null for the setting of the process. */
  readonly disappearance_hold: number | null
  readonly enabled: boolean
  readonly mapping: readonly AccountRule[]
  readonly created_at: number
  /** Grows with each change of what stands above. */
  readonly revision: number
  /** Deleted, and its servers not yet gone. */
  readonly leaving: boolean
}

/** What a scan came to. */
export interface SyncCounts {
  readonly seen: number
  readonly created: number
  readonly changed: number
  readonly gone: number
}

/** What an operator should know of, though the account works. */
export interface SyncWarning extends Omit<AccountWarning, 'until'> {
  /** When something comes of it; null where nothing does by itself. */
  readonly until: number | null
}

/** How it goes with an account. */
export interface SyncRecord extends SyncCounts {
  /** Who runs the account, and until when that is so unless it is renewed. */
  readonly runner: string
  readonly leased_until: number
  readonly is_running: boolean
  readonly started_at: number | null
  /** Of the last complete one, as are the counts while none is running. */
  readonly finished_at: number | null
  readonly duration_ms: number
  /** What went wrong last, in words for an operator; empty while all is well. */
  readonly error: string
  /** How many times in a row. */
  readonly failures: number
  readonly next_at: number
  /** When the source last gave a proper answer, or began to be asked. */
  readonly answered_at: number
  /** Its servers have been turned unknown. */
  readonly is_lost: boolean
  /** The revision of the account whose mapping its servers are under. */
  readonly mapped_revision: number
  readonly warnings: readonly SyncWarning[]
  /** Servers missing since then or earlier were confirmed as gone; 0 where none were. */
  readonly confirmed_gone: number
}

export interface AttachedAccount {
  readonly account: Account
  readonly sync: SyncRecord
}

/** The order in which accounts were attached: who came first holds what both see. */
export const isEarlier = (a: Account, b: Account): boolean =>
  a.created_at === b.created_at ? a.id < b.id : a.created_at < b.created_at
