import type { ViewListQuery } from '@muster/contract'
import type { EventRecord } from '../audit/event.ts'
import type { AuthorizedScope } from '../scope.ts'
import type { ViewRecord } from './view-record.ts'

/**
 * The result of a write. Only `done` changed anything; `changed` is a conflict with another write.
 */
export type WriteResult = 'done' | 'name-taken' | 'full' | 'changed'

export interface ViewQuery extends Omit<ViewListQuery, 'limit' | 'offset'> {
  readonly limit: number
  readonly offset: number
}

/** Finds views that are shared within the caller's scope or are the caller's own. */
export interface ViewStore {
  list(
    authorizedScope: AuthorizedScope,
    query: ViewQuery,
  ): Promise<{ readonly views: readonly ViewRecord[]; readonly total: number }>
  find(authorizedScope: AuthorizedScope, id: string): Promise<ViewRecord | undefined>
  insert(view: ViewRecord, event: EventRecord): Promise<WriteResult>
  update(before: ViewRecord, after: ViewRecord, event: EventRecord): Promise<WriteResult>
  remove(view: ViewRecord, event: EventRecord): Promise<WriteResult>
}
