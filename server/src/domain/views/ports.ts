import type { ViewListQuery } from '@muster/contract'
import type { EventRecord } from '../audit/event.ts'
import type { AuthorizedScope } from '../scope.ts'
import type { View } from './view.ts'

/** How a write went: nothing was done where a name is taken, there are too many, or it is no longer as it was. */
export type Written = 'done' | 'name-taken' | 'full' | 'changed'

export interface ViewQuery extends Omit<ViewListQuery, 'limit' | 'offset'> {
  readonly limit: number
  readonly offset: number
}

/** Of the caller's scope, what is shared in its scope and what is its own are there, and nothing else. */
export interface ViewStore {
  list(
    authorizedScope: AuthorizedScope,
    query: ViewQuery,
  ): Promise<{ readonly views: readonly View[]; readonly total: number }>
  find(authorizedScope: AuthorizedScope, id: string): Promise<View | undefined>
  insert(view: View, event: EventRecord): Promise<Written>
  update(before: View, after: View, event: EventRecord): Promise<Written>
  remove(view: View, event: EventRecord): Promise<Written>
}
