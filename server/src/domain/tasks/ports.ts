import type { Batch } from '@muster/contract'
import type { EventRecord } from '../audit/event.ts'
import type { AccountFence, ServerWrite } from '../inventory/ports.ts'
import type { ListQuery, Page } from '../query/list-query.ts'
import type { Requester } from '../requester.ts'
import type { ScopeOrNone } from '../scope.ts'
import type { BatchRecord, TaskRecord } from './task.ts'

/** What is stored with an `Idempotency-Key`. */
export interface IdempotencyRecord {
  readonly user_id: string
  readonly key: string
  readonly request_hash: string
  readonly task_id: string
  readonly batch_id: string
  readonly created_at: number
}

/** A server in the recycle bin, and how it is deleted in the end. */
export interface BinEntry {
  readonly server_id: string
  readonly account_id: string
  readonly delete_disks: boolean
  readonly delete_snapshots: boolean
  readonly auto_delete_at: number
}

/** What a commit changes besides tasks. */
export interface TaskCommit {
  readonly writes?: readonly ServerWrite[]
  readonly events?: readonly EventRecord[]
  /** Added to the recycle bin, or removed from it. */
  readonly binned?: BinEntry
  readonly unbinned?: readonly string[]
}

/** How many of these a user may have. */
export interface UserLimit {
  readonly userId: string
  /** Queued tasks are counted without those of batches. */
  readonly kind: 'queued tasks' | 'unfinished batches'
  readonly most: number
}

interface Acceptance extends TaskCommit {
  readonly tasks: readonly TaskRecord[]
  readonly batch?: BatchRecord
  /** Ids of the batch without a task, because they do not exist for the caller. */
  readonly refusedIds?: readonly string[]
  /** Nothing is stored if the user already has as many. */
  readonly limit?: UserLimit
  readonly idempotency?: IdempotencyRecord
}

interface TaskCondition {
  /** The commit fails with `LeaseLost` unless this process runs the account. */
  readonly fence?: { readonly accountId: string; readonly fence: AccountFence }
  /** Only if no request was sent. */
  readonly isUnsent?: true
  /** Only if no request was sent after this one. */
  readonly sentAt?: number
}

type ListOptions = Pick<ListQuery<string>, 'where' | 'order' | 'limit' | 'offset' | 'marker'>

export interface TaskStore {
  /**
   * Stores tasks in one commit with the servers that show them. Returns false without changes if a server
   * was changed meanwhile, has an unfinished task, or if the idempotency key is in use.
   */
  accept(acceptance: Acceptance): Promise<boolean>
  findIdempotency(
    userId: string,
    key: string,
    since: number,
  ): Promise<IdempotencyRecord | undefined>
  find(id: string): Promise<TaskRecord | undefined>
  /** The unfinished tasks of these servers, by server id. */
  unfinishedOf(serverIds: readonly string[]): Promise<ReadonlyMap<string, TaskRecord>>
  /** Queued tasks without those of batches, or unfinished batches. */
  countOf(userId: string, kind: UserLimit['kind']): Promise<number>
  /** Names of deleted servers are empty outside of the scope in which the caller may see these servers. */
  list(
    scope: ScopeOrNone,
    query: ListOptions,
    requester: Requester,
    deleted: ScopeOrNone,
  ): Promise<Page<TaskRecord>>
  /** Of these servers, those that are not deleted. */
  liveServers(ids: readonly string[]): Promise<ReadonlySet<string>>

  findBatch(id: string): Promise<BatchRecord | undefined>
  listBatches(
    scope: ScopeOrNone,
    query: ListOptions,
    requester: Requester,
  ): Promise<Page<BatchRecord>>
  /** Ids of a batch that have no task. */
  refusedIds(batchId: string): Promise<readonly string[]>
  /** The number of tasks of each batch by their status; ids without a task are refused. */
  countBatches(
    ids: readonly string[],
  ): Promise<
    ReadonlyMap<
      string,
      Pick<
        Batch,
        'queued' | 'running' | 'succeeded' | 'failed' | 'refused' | 'cancelled' | 'unknown'
      >
    >
  >
  /** Cancels the queued tasks of a batch. Servers show their status until the account settles them. */
  cancelBatch(id: string, now: number, reason: string, event: EventRecord): Promise<void>

  /** Accounts with unfinished tasks, or with finished ones that are not settled. */
  accountsWaiting(): Promise<readonly string[]>
  /**
   * These tasks but for some, those without a batch first, then in the order in which they were accepted. Of
   * those that are queued, only the first of each batch and the first without a batch.
   */
  waitingOf(
    accountId: string,
    maxQueued: number,
    without?: Iterable<string>,
  ): Promise<readonly TaskRecord[]>
  /**
   * Changes an unfinished task, or one that is only shown. If it ends, counts for its batch. Returns false
   * without changes if the task is finished, does not fit the condition, or if the server was changed meanwhile.
   */
  change(
    task: TaskRecord,
    changes: Partial<TaskRecord>,
    commit: TaskCommit,
    condition?: TaskCondition,
  ): Promise<boolean>

  binEntry(serverId: string): Promise<BinEntry | undefined>
  /** Entries of an account whose time is over, by the clock of the database. */
  dueEntries(accountId: string, limit: number): Promise<readonly BinEntry[]>
  /** Changes servers without a task, and the recycle bin. Returns false if a server was changed meanwhile. */
  write(commit: TaskCommit): Promise<boolean>
  /** Deletes tasks and batches that ended before this time, and old idempotency keys. */
  purge(before: number, keysBefore: number): Promise<void>
}
