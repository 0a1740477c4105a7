import type { ListQuery, Page } from '../query/list-query.ts'
import type { QueryFields } from '../query/query-fields.ts'
import type { ScopeOrNone } from '../scope.ts'
import type { Requester } from './ports.ts'
import type { InventoryKind } from './kinds.ts'

/** An object in the shape of the API. */
export type ResourceObject = Readonly<Record<string, unknown>> & { readonly id: string }

export interface VisibleResources {
  readonly kind: InventoryKind
  /** The resources that live and recycled servers of this scope refer to. Counts are of the live ones. The system has all. */
  readonly scope: ScopeOrNone
  readonly requester: Requester
}

export interface ResourceFinder {
  list(
    visible: VisibleResources,
    fields: QueryFields<string>,
    query: ListQuery<string>,
  ): Promise<Page<ResourceObject>>
  /** Those with this id, or else with this name: at most `limit`. */
  find(
    visible: VisibleResources,
    idOrName: string,
    limit: number,
  ): Promise<readonly ResourceObject[]>
}
