import type { Server } from '@muster/contract'
import type { EventRecord } from '../audit/event.ts'
import type { Position, SortKey } from '../query/marker.ts'
import type { ScopeOrNone } from '../scope.ts'
import type { Condition } from './condition.ts'
import type { TagOrigin } from './metadata.ts'
import type { Grouping, Order, StateFilter } from './server-list/server-query.ts'
import type { RenderedServer } from './render-server.ts'
import type { Requester } from '../requester.ts'

export { requesterOf } from '../identity/requester-of.ts'
export type { Requester }

/** A project and its domain, with their current names. */
export interface Owner {
  readonly projectId: string
  readonly project: string
  readonly domainId: string
  readonly domain: string
}

export interface OwnerDirectory {
  /** All projects, including disabled ones. */
  all(): Promise<readonly Owner[]>
  /** The ids of accounts whose servers can be acted on. */
  managedAccounts(): Promise<readonly string[]>
}

/** A stored server, with what the next write compares. */
export interface StoredServer {
  readonly id: string
  readonly seq: number
  readonly revision: number
  /** Digest of the facts from the source. A report with the same digest changes nothing. */
  readonly factsDigest: string
  readonly server: Server
  /** Fields that the version of Muster that stored it did not have; absent for this version. */
  readonly newFields?: ReadonlySet<string>
}

/** A server to write, and the stored one that it replaces. */
export interface ServerWrite {
  readonly stored: StoredServer | undefined
  readonly server: Server
  readonly factsDigest: string
  readonly rendered: RenderedServer
  /** The source's own time of the change, if it gave one. */
  readonly sourceTime?: string
}

/** The last report of one account about one server, whichever account holds that server. */
export interface Sighting {
  readonly serverId: string
  readonly digest: string
  readonly projectId: string
  /** How many complete scans in a row did not find it, and since when; both are 0 if it was found. */
  readonly missed: number
  readonly missingSince: number
  /** Its name while it runs, for sources whose servers run on one host only; otherwise empty. */
  readonly activeName: string
  /** The host on which it runs, if `activeName` is set. */
  readonly activeHost: string
}

/** Changes of the sightings of one account. */
export interface SightingChanges {
  readonly accountId: string
  readonly seen: readonly Sighting[]
  /** Ids of servers that it no longer sees. Other accounts that see them scan again. */
  readonly lost: readonly string[]
  /** Nothing is written if the account was changed meanwhile, or has another runner. */
  readonly fence: AccountFence
  /**
   * Servers of other accounts, and those that go to another account. Nothing is written if one of these
   * accounts no longer sees its server: then nobody would decide about it.
   */
  readonly seenByOthers?: readonly { readonly serverId: string; readonly accountId: string }[]
  /** New servers. Nothing is written if one of them has got another id meanwhile. */
  readonly created?: readonly string[]
  /** Servers that get another id, because another domain has taken them over. */
  readonly renamed?: readonly { readonly from: string; readonly to: string }[]
}

export interface AccountFence {
  readonly revision: number
  /** The process that must hold the account's lease; absent if any may. */
  readonly runner?: string
}

export interface ServerWriter {
  findStored(ids: readonly string[]): Promise<ReadonlyMap<string, StoredServer>>
  /**
   * Writes everything in one transaction. Returns false, and writes nothing, if one of the servers was
   * changed meanwhile. Throws if the fence fails.
   */
  write(
    writes: readonly ServerWrite[],
    events?: readonly EventRecord[],
    sightings?: SightingChanges,
  ): Promise<boolean>
  hasRealServers(): Promise<boolean>
  /** Removes servers that were deleted before this time. */
  purgeDeleted(before: number): Promise<void>
}

/** Servers that another version of Muster stored. */
export interface OutdatedServers {
  /** In the order of their numbers, after the given one. */
  find(after: number, limit: number): Promise<readonly StoredServer[]>
  /** Whether it has been recorded that all of them were rewritten. */
  areAllRewritten(): Promise<boolean>
  recordAllRewritten(): Promise<void>
}

/** Muster's own work. In the queue it counts as one more user. */
export const background: Requester = { user: 'background' }

/** Selects servers within the caller's visibility. */
export interface ScopedQuery {
  readonly requester: Requester
  readonly scope: ScopeOrNone
  readonly state: StateFilter
  readonly where: Condition
}

export interface PageQuery extends ScopedQuery {
  readonly order: readonly Order[]
  readonly limit: number
  readonly offset: number
  readonly after: Position | undefined
  /** Part of an export, which must not delay the pages of other requests. */
  readonly isStreamed?: boolean
  /** Does not use cached query results and totals, because they turned out to be outdated. */
  readonly ignoresCache?: boolean
}

/** A server that a query found: its number, and its revision at that time. */
export interface Found {
  readonly seq: number
  readonly revision: number
  /** Its sort keys, if the query has read them. */
  readonly keys?: readonly SortKey[]
}

export interface FoundPage {
  readonly total: number
  readonly found: readonly Found[]
  readonly hasMore: boolean
}

/** The stored parts from which the JSON of a server is put together. */
export interface ServerParts {
  readonly id: string
  readonly projectId: string
  readonly domainId: string
  readonly managerProjectId: string
  readonly accountId: string
  readonly isDeleted: boolean
  readonly adminGroup: string
  /** JSON without the closing brace. It begins with the short form, which has this length. */
  readonly body: Buffer
  readonly shortLength: number
  readonly metadata: Buffer
  /** Of body and metadata. */
  readonly digest: string
}

/** The number of servers, and the sums of their sizes. */
export interface Sum {
  readonly count: number
  readonly vcpu_count: number
  readonly vmem_size: number
  readonly disk: number
}
export type GroupValue = string | number | boolean | null

/** The largest values of each group: all of them, or one more than the response lists. */
export interface Statistics {
  readonly total: Sum
  readonly groups: Readonly<Record<string, readonly (Sum & { readonly value: GroupValue })[]>>
}

interface TagQuery {
  readonly scope: ScopeOrNone
  readonly origins: readonly TagOrigin[]
  /** Counts keys whatever their values are. */
  readonly isKeyOnly: boolean
  readonly limit: number
  readonly offset: number
  readonly requester: Requester
}

interface TagCounts {
  readonly items: readonly {
    readonly key: string
    readonly value?: string
    readonly count: number
  }[]
  readonly total: number
}

export interface ServerFinder {
  /** The version of a scope's servers; undefined if it is not current, so that nothing may be cached. */
  version(scope: ScopeOrNone): number | undefined
  find(query: PageQuery): Promise<FoundPage>
  /** Undefined if one of them has changed since it was found. */
  load(
    found: readonly Found[],
    pace?: 'quick' | Requester,
  ): Promise<readonly ServerParts[] | undefined>
  /** The sort keys of a server; undefined if it has changed since it was found. */
  position(found: Found, order: readonly Order[]): Promise<Position | undefined>
  /** A visible server with all its parts. Deleted ones are included with `withDeleted`. */
  loadById(scope: ScopeOrNone, id: string, withDeleted: boolean): Promise<ServerParts | undefined>
  /** The tags of visible servers in use, most frequent first. */
  countTags(query: TagQuery): Promise<TagCounts>
  /** The ids of visible servers in use with this name, at most `limit`. */
  findByName(
    scope: ScopeOrNone,
    name: string,
    limit: number,
    requester: Requester,
  ): Promise<readonly string[]>
  /** The names that several visible servers in use have, in lower case (ASCII only), at most `limit`. */
  findSharedNames(
    scope: ScopeOrNone,
    limit: number,
    requester: Requester,
  ): Promise<readonly string[]>
  count(query: ScopedQuery & { readonly groups: readonly Grouping[] }): Promise<Statistics>
}
