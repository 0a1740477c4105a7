import type { EventRecord } from '../audit/event.ts'
import type { Sighting } from '../inventory/ports.ts'
import type { Account, AttachedAccount, SyncRecord } from './account.ts'
import type { SourceSettings } from './source.ts'

type Credentials = SourceSettings['credentials']

/** The accounts, and how it goes with them. */
export interface AccountStore {
  /** Those that are leaving too. */
  all(): Promise<readonly AttachedAccount[]>
  find(id: string): Promise<AttachedAccount | undefined>
  credentialsOf(id: string): Promise<Credentials>
  /** When each that was ever synced was last synced completely. */
  syncedAt(): Promise<ReadonlyMap<string, number>>
  /** How many servers each sees. */
  countServers(): Promise<ReadonlyMap<string, number>>
  isNameTaken(name: string): Promise<boolean>
  /** False, and nothing done, where its name is taken. */
  insert(account: Account, credentials: Credentials, event: EventRecord): Promise<boolean>
  /** False, and nothing done, where it is not of this revision any more, or its new name is taken. */
  update(
    account: Account,
    changes: Partial<Account>,
    credentials: Credentials | undefined,
    event: EventRecord,
  ): Promise<boolean>
  /** Forgets an account whose servers are gone. */
  remove(id: string): Promise<void>
  /**
   * Confirms that the servers now missing are gone: the next sync removes them, and is due now. False,
   * and nothing done, where none are missing.
   */
  confirmGone(id: string, event: EventRecord): Promise<boolean>
  /** Its next sync is due now; with an event where somebody asked for it. */
  requestSync(id: string, event?: EventRecord): Promise<void>
}

/** Which process runs which account, and how its sync goes. */
export interface LeaseStore {
  /** Acquires or renews the lease; false if another process holds it. */
  acquire(id: string, runner: string, now: number, until: number): Promise<boolean>
  release(id: string, runner: string): Promise<void>
  /** Servers missing since this time or earlier were confirmed as gone; 0 if none were. */
  confirmedGone(id: string): Promise<number>
  /** Does nothing if another process has acquired the lease meanwhile. */
  update(id: string, runner: string, changes: Partial<SyncRecord>): Promise<void>
}

/** A server that another account reports as running, too. */
export interface ActiveElsewhere {
  readonly serverId: string
  readonly name: string
  readonly otherAccountId: string
  readonly otherName: string
}

/** What accounts said last of the servers they see. */
export interface SightingStore {
  /** Of all servers that an account sees, or of these. */
  of(accountId: string, ids?: readonly string[]): Promise<ReadonlyMap<string, Sighting>>
  /** Which accounts see these servers. */
  accountsSeeing(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** The source's own id of the region of each of these servers. */
  regionsOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Servers that this account and another one report as running on two hosts, a thousand at most. */
  activeElsewhere(accountId: string): Promise<readonly ActiveElsewhere[]>
}
