import type { EventRecord } from '../audit/event.ts'
import type { Sighting } from '../inventory/ports.ts'
import type { Account, AttachedAccount, SyncRecord, SyncRun } from './account.ts'
import type { Observation } from './observation.ts'
import type { SourceSettings } from './source.ts'

type Credentials = SourceSettings['credentials']

/** Accounts and the state of their sync. */
export interface AccountStore {
  /** Includes accounts that are being deleted. */
  all(): Promise<readonly AttachedAccount[]>
  find(id: string): Promise<AttachedAccount | undefined>
  credentialsOf(id: string): Promise<Credentials>
  /** The time of the last complete sync by account id. */
  syncedAt(): Promise<ReadonlyMap<string, number>>
  /** The number of servers by account id. */
  countServers(): Promise<ReadonlyMap<string, number>>
  isNameTaken(name: string): Promise<boolean>
  /** Returns false without changes if the name is taken. */
  insert(account: Account, credentials: Credentials, event: EventRecord): Promise<boolean>
  /**
   * Returns false without changes if the revision is outdated (optimistic lock) or the new name is
   * taken.
   */
  update(
    account: Account,
    changes: Partial<Account>,
    credentials: Credentials | undefined,
    event: EventRecord,
  ): Promise<boolean>
  /** Deletes an account whose servers are removed. A gap of it ends now. */
  remove(id: string): Promise<void>
  /**
   * Confirms that the missing servers are gone, and makes the sync that removes them due now.
   * Returns false without changes if none are missing.
   */
  confirmGone(id: string, event: EventRecord): Promise<boolean>
  /** Makes the next sync due now; with an audit event if a user requested it. */
  requestSync(id: string, event?: EventRecord): Promise<void>
}

/** Leases of accounts, and the state of their sync. */
export interface LeaseStore {
  /** Acquires or renews the lease; false if another process holds it. */
  acquire(id: string, runner: string, now: number, until: number): Promise<boolean>
  release(id: string, runner: string): Promise<void>
  /** Servers missing since this time or earlier were confirmed as gone; 0 if none were. */
  confirmedGone(id: string): Promise<number>
  /**
   * Does nothing if another process has acquired the lease meanwhile. At the end of a sync, it also stores
   * the sync, and what a complete one has observed.
   */
  update(id: string, runner: string, changes: Partial<SyncRecord>, ended?: EndedSync): Promise<void>
}

/** What is stored at the end of a sync. */
export interface EndedSync {
  readonly run: SyncRun
  readonly observation?: Observation | undefined
}

/** The last syncs of each account. */
export interface SyncRunStore {
  /** Newest first. */
  of(accountId: string): Promise<readonly SyncRun[]>
}

/** A server that another account reports as running as well. */
export interface ActiveElsewhere {
  readonly serverId: string
  readonly name: string
  readonly otherAccountId: string
  readonly otherName: string
}

/** The last report of one account about each of its servers, by server id. */
export interface KnownSightings {
  readonly size: number
  get(id: string): Sighting | undefined
  has(id: string): boolean
  keys(): Iterable<string>
  values(): Iterable<Sighting>
}

/** Where a source has a server. */
export interface ServerLocation {
  readonly region: string
  /** Not the manager, which belongs to the account that holds the server. */
  readonly tenant: string
}

/** An account that sees a server, with its last report about it. */
export interface SeeingAccount extends Pick<Sighting, 'projectId' | 'missed'> {
  readonly accountId: string
}

/** The last report of each account about each of its servers. */
export interface SightingStore {
  /** For all servers of an account, or only these. */
  of(accountId: string, ids?: readonly string[]): Promise<KnownSightings>
  /** Which accounts have these servers in their last report, by server id. */
  accountsSeeing(ids: readonly string[]): Promise<ReadonlyMap<string, readonly SeeingAccount[]>>
  /** Servers that the account holds without a sighting, as earlier versions left them. */
  heldUnseen(accountId: string): Promise<readonly string[]>
  /** The ids of the servers that this account and another one see. */
  sharedBy(accountId: string): Promise<readonly string[]>
  /** How many servers of this account each other account sees, by account id. */
  countShared(accountId: string): Promise<ReadonlyMap<string, number>>
  /** The source's ids of the region and the tenant, by server id. */
  locationsOf(ids: readonly string[]): Promise<ReadonlyMap<string, ServerLocation>>
  /** Servers that this account and another one report as running on two hosts; at most 1,000. */
  activeElsewhere(accountId: string): Promise<readonly ActiveElsewhere[]>
}

/** Servers that got another id, because another domain has taken them over. */
export interface ServerKeys {
  /** The current ids of those that have another id by now, by their former ids. */
  find(formerIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The current ids by all their former ids. */
  findFormer(currentIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}
