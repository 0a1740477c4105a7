import type { EventRecord } from '../audit/event.ts'
import type { ListQuery, Page } from '../query/list-query.ts'
import type { Requester } from '../requester.ts'
import type { ScopeOrNone } from '../scope.ts'
import type { CheckRecord, CountedCheck, ViolationRecord } from './check-record.ts'

/** The result of a write. Only `done` changed anything; `changed` is a conflict with another write. */
export type WriteResult = 'done' | 'name-taken' | 'full' | 'changed'

/** What a caller sees of checks and violations. */
export interface CheckVisibility {
  /** Checks of these owners, besides those that are built in. */
  readonly checks: ScopeOrNone
  /** Violations of servers of these owners. */
  readonly servers: ScopeOrNone
  /** Violations of servers in the recycle bin. */
  readonly recycled: ScopeOrNone
  /** Whether violations of cloud accounts are visible. */
  readonly accounts: boolean
}

type RowsQuery = Pick<
  ListQuery<string>,
  'scope' | 'where' | 'order' | 'limit' | 'offset' | 'marker'
> & { readonly requester: Requester }

export interface CheckStore {
  /** `violatedBy`: only checks that this server or account violates. */
  list(
    visibility: CheckVisibility,
    query: RowsQuery & { readonly violatedBy: string | undefined },
  ): Promise<Page<CountedCheck>>
  find(visibility: CheckVisibility, id: string): Promise<CountedCheck | undefined>
  listViolations(
    visibility: CheckVisibility,
    checkId: string,
    query: RowsQuery,
  ): Promise<Page<ViolationRecord>>
  insert(check: CheckRecord, event: EventRecord): Promise<WriteResult>
  update(before: CheckRecord, after: CheckRecord, event: EventRecord): Promise<WriteResult>
  remove(check: CheckRecord, event: EventRecord): Promise<WriteResult>
}
