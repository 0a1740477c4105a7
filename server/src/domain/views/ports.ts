import type { EventRecord } from '../audit/event.ts'
import type { ListQuery, Page } from '../query/list-query.ts'
import type { Requester } from '../requester.ts'
import type { AuthorizedScope, ScopeOrNone } from '../scope.ts'
import type { ViewRecord } from './view-record.ts'

/**
 * The result of a write. Only `done` changed anything; `changed` is a conflict with another write.
 */
export type WriteResult = 'done' | 'name-taken' | 'full' | 'changed'

type ViewQuery = Pick<
  ListQuery<string>,
  'scope' | 'where' | 'order' | 'limit' | 'offset' | 'marker'
> & {
  /** Only views of this scope, of those that the caller sees. */
  readonly within: ScopeOrNone
  readonly requester: Requester
}

/** Finds views that are shared within the caller's scope or are the caller's own. */
export interface ViewStore {
  list(authorizedScope: AuthorizedScope, query: ViewQuery): Promise<Page<ViewRecord>>
  find(authorizedScope: AuthorizedScope, id: string): Promise<ViewRecord | undefined>
  insert(view: ViewRecord, event: EventRecord): Promise<WriteResult>
  update(before: ViewRecord, after: ViewRecord, event: EventRecord): Promise<WriteResult>
  remove(view: ViewRecord, event: EventRecord): Promise<WriteResult>
}
