import type { Server } from '@muster/contract'
import type { EventRecord } from '../audit/event.ts'
import type { ScopeOrNone } from '../scope.ts'
import type { Condition } from './condition.ts'
import type { Grouping, Order, StateFilter } from './server-query.ts'
import type { RenderedServer } from './render-server.ts'

/** Who owns servers, by the names that identity has for them now. */
export interface Owner {
  readonly projectId: string
  readonly project: string
  readonly domainId: string
  readonly domain: string
}

export interface OwnerDirectory {
  /** Every project, disabled ones too. */
  all(): Promise<readonly Owner[]>
}

/** A server as it was last written, as far as the next write needs to know. */
export interface StoredServer {
  readonly id: string
  readonly seq: number
  readonly revision: number
  /** Of what the source said: the same again changes nothing. */
  readonly factsDigest: string
  readonly server: Server
  /** Fields that the version of Muster that stored it did not have; absent for this version. */
  readonly newFields?: ReadonlySet<string>
}

/** What becomes of a server. */
export interface ServerWrite {
  readonly stored: StoredServer | undefined
  readonly server: Server
  readonly factsDigest: string
  readonly rendered: RenderedServer
}

/** What an account said last of a server that it sees, whoever holds that server. */
export interface Sighting {
  readonly serverId: string
  readonly digest: string
  readonly projectId: string
  /** How many complete scans in a row have missed it, and since when; 0 where it was seen. */
  readonly missed: number
  readonly missingSince: number
  /** Its name while it runs, for sources whose servers run on one host only; else empty. */
  readonly activeName: string
  /** The host that it then runs on. */
  readonly activeHost: string
}

/** What changes in what an account sees. */
export interface SightingChanges {
  readonly accountId: string
  readonly seen: readonly Sighting[]
  /** Those it no longer sees. Other accounts that see them are to look again. */
  readonly lost: readonly string[]
  /** Nothing is written where the account has been changed meanwhile, or is run by somebody else. */
  readonly fence: AccountFence
  /** Ids of servers of which it counts that another account sees them: where none does any more, nothing is done. */
  readonly seenByOthers?: readonly string[]
}

export interface AccountFence {
  readonly revision: number
  /** Who holds the account's lease; absent where it does not matter. */
  readonly runner?: string
}

export interface ServerWriter {
  findStored(ids: readonly string[]): Promise<ReadonlyMap<string, StoredServer>>
  /**
   * All or nothing; nothing where somebody else has written one of them meanwhile: then false. Where
   * the fence does not hold it throws.
   */
  write(
    writes: readonly ServerWrite[],
    events?: readonly EventRecord[],
    sightings?: SightingChanges,
  ): Promise<boolean>
  hasRealServers(): Promise<boolean>
  /** Takes away what was deleted before then. */
  purgeDeleted(before: number): Promise<void>
}

/** Servers that another version of Muster stored. */
export interface OutdatedServers {
  /** In the order of their numbers, after the given one. */
  find(after: number, limit: number): Promise<readonly StoredServer[]>
  /** Whether it has been recorded that there are none. */
  areNone(): Promise<boolean>
  recordNone(): Promise<void>
}

/** On whose behalf a query runs. Users share what runs slow queries. */
export interface Requester {
  readonly user: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
}

/** Work of Muster's own, which shares like one more user. */
export const background: Requester = { user: 'background' }

/** Which servers, among those in sight. */
export interface ScopedQuery {
  readonly requester: Requester
  readonly scope: ScopeOrNone
  readonly view: StateFilter
  readonly where: Condition
}

export type SortKey = string | number | null

/** The place in an order after which a page begins: a key for each field sorted by, and an id. */
export interface Position {
  readonly keys: readonly SortKey[]
  readonly id: string
}

export interface PageQuery extends ScopedQuery {
  readonly order: readonly Order[]
  readonly limit: number
  readonly offset: number
  readonly after: Position | undefined
  /** Of a stream, which must not be in the way of quick pages. */
  readonly isStreamed?: boolean
  /** What was found before has turned out to be old: nothing that is remembered counts. */
  readonly isAnew?: boolean
}

/** A server that was found, by the number under which it is stored and what it was like then. */
export interface Found {
  readonly seq: number
  readonly revision: number
  /** What it was sorted by, where that is at hand. */
  readonly keys?: readonly SortKey[]
}

export interface FoundPage {
  readonly total: number
  readonly found: readonly Found[]
  readonly hasMore: boolean
}

/** The rendered parts of a server that a page is made of. */
export interface ServerParts {
  readonly id: string
  readonly projectId: string
  readonly domainId: string
  readonly managerProjectId: string
  readonly accountId: string
  readonly isDeleted: boolean
  readonly adminGroup: string
  /** Without its closing brace. */
  readonly body: Buffer
  readonly digest: string
  readonly metadata: Buffer | undefined
  readonly metadataDigest: string
}

export type BodyKind = 'document' | 'summary'

/** How many servers, and how big they are together. */
export interface Sum {
  readonly count: number
  readonly vcpu_count: number
  readonly vmem_size: number
  readonly disk: number
}
export type GroupValue = string | number | boolean | null

/** Of each group the biggest, one more than are told; all of them where they are few. */
export interface Statistics {
  readonly total: Sum
  readonly groups: Readonly<Record<string, readonly (Sum & { readonly value: GroupValue })[]>>
}

export interface ServerFinder {
  /** The version of what a scope has; undefined where it is not known well enough to remember by. */
  version(scope: ScopeOrNone): number | undefined
  find(query: PageQuery): Promise<FoundPage>
  /** Undefined where one of them is no longer what it was when it was found. */
  load(
    found: readonly Found[],
    kind: BodyKind,
    withMetadata: boolean,
    pace?: 'quick' | Requester,
  ): Promise<readonly ServerParts[] | undefined>
  /** What a server was sorted by; undefined where it is no longer what it was when it was found. */
  position(found: Found, order: readonly Order[]): Promise<Position | undefined>
  /** The whole of a server in sight, deleted ones too where they are asked for. */
  loadById(scope: ScopeOrNone, id: string, withDeleted: boolean): Promise<ServerParts | undefined>
  /** The ids of servers in use and in sight that have a name, so many at most. */
  findByName(
    scope: ScopeOrNone,
    name: string,
    most: number,
    requester: Requester,
  ): Promise<readonly string[]>
  count(query: ScopedQuery & { readonly groups: readonly Grouping[] }): Promise<Statistics>
}
