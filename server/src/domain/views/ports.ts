import type { ViewListQuery } from '@muster/contract'
import type { EventRecord } from '../audit/event.ts'
import type { AuthorizedScope } from '../scope.ts'
import type { ViewRecord } from './view-record.ts'

/** How a write went: nothing was done where a name is taken, there are too many, or it is no longer as it was. */
export type WriteResult = 'done' | 'name-taken' | 'full' | 'changed'

export interface ViewQuery extends Omit<ViewListQuery, 'limit' | 'offset'> {
  readonly limit: number
  readonly offset: number
}

/** Of the caller's scope, what is shared in its scope and what is its own are there, and nothing else. */
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
