import type { ChangeKind, Server } from '@muster/contract'
import type { Requester } from '../../requester.ts'
import type { ScopeOrNone } from '../../scope.ts'
import type { UndoRecord } from './undo-changes.ts'

/** The place of a change in the order in which changes were committed. */
export interface ChangePosition {
  readonly time: number
  readonly commit: number
  /** The number of the server. */
  readonly seq: number
}

/** A change as markers tell it, without numbers that count what happens in other scopes. */
export interface ChangeMarker {
  readonly time: number
  readonly serverId: string
}

export interface VersionOwner {
  readonly projectId: string
  readonly domainId: string
}

/** A stored change of a server. */
export interface ChangeRecord extends UndoRecord {
  readonly position: ChangePosition
  readonly kinds: readonly ChangeKind[]
  readonly owner: VersionOwner
  /** The owner before the change; the same unless the server moved. */
  readonly formerOwner: VersionOwner
  readonly accountId: string
  /** Microseconds since 1970. */
  readonly sourceTime: number | null
  readonly taskId: string
  readonly requestId: string
}

/** A change with the versions of its server before and after it. */
export interface ServerChange {
  readonly record: ChangeRecord
  readonly before: Server | undefined
  readonly after: Server | undefined
}

export interface ChangeQuery {
  /** Changes of servers that were in the scope before or after. */
  readonly scope: ScopeOrNone
  /** Milliseconds since 1970; `until` is exclusive. */
  readonly since?: number
  readonly until?: number
  /** Empty for all. */
  readonly kinds: readonly ChangeKind[]
  /** Empty for all. */
  readonly serverIds: readonly string[]
  /** Empty for all. Changes that can be of several accounts are found too. */
  readonly accountIds: readonly string[]
  readonly after?: ChangeMarker
  readonly descending: boolean
  readonly limit: number
  readonly requester: Requester
}

interface ServerNumber {
  readonly id: string
  readonly seq: number
}

export interface ChangeStore {
  list(query: ChangeQuery): Promise<readonly ChangeRecord[]>
  /**
   * The changes after a position, in the order in which they were committed. `filter` also has the last commit.
   */
  listAfter(
    after: Pick<ChangePosition, 'commit' | 'seq'>,
    limit: number,
    requester: Requester,
    filter?: Pick<ChangeQuery, 'scope' | 'kinds' | 'serverIds' | 'accountIds'> & {
      readonly until: number
    },
  ): Promise<readonly ChangeRecord[]>
  /** The last commit; 0 before the first. */
  newestCommit(): Promise<number>
  /** The last commit whose changes were purged; 0 if there is none. */
  purgedCommit(): Promise<number>
  /**
   * The servers in the scope with changes after one commit until another, but not more than the limit. A server
   * that was purged and came back has several numbers.
   */
  changedServers(
    between: { readonly scope: ScopeOrNone; readonly from: number; readonly until: number },
    limit: number,
    requester: Requester,
  ): Promise<readonly ServerNumber[]>
  /** The versions of servers after two commits, the earlier one first, by the number of the server. */
  versionsAfter(
    seqs: readonly number[],
    commits: readonly [number, number],
    requester: Requester,
  ): Promise<ReadonlyMap<number, readonly (Server | undefined)[]>>
  /** The changes after a position, up to a commit, in that order; also of bookkeeping, but not those of checks. */
  listBetween(
    after: Pick<ChangePosition, 'commit' | 'seq'>,
    until: number,
    limit: number,
    requester: Requester,
  ): Promise<readonly ChangeRecord[]>
  /** Adds the versions before and after. */
  withVersions(
    changes: readonly ChangeRecord[],
    requester: Requester,
  ): Promise<readonly ServerChange[]>
}
