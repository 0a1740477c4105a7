import type { Condition } from '../query/condition.ts'
import type { Order } from '../query/list-query.ts'
import type { Position } from '../query/marker.ts'
import type { QueryFields } from '../query/query-fields.ts'
import type { ScopeOrNone } from '../scope.ts'
import type { Requester } from './ports.ts'
import type { ResourceKind } from './resource-kinds.ts'

/** An object in the shape of the API. */
export type ResourceObject = Readonly<Record<string, unknown>> & { readonly id: string }

interface Selection {
  readonly kind: ResourceKind
  /** Selects and counts what live servers of this scope name. The system has everything. */
  readonly scope: ScopeOrNone
  readonly requester: Requester
}

export interface ResourceQuery extends Selection {
  readonly fields: QueryFields<string>
  readonly where: Condition<string>
  readonly order: readonly Order<string>[]
  readonly limit: number
  readonly offset: number
  readonly after: Position | undefined
}

export interface ResourceFinder {
  list(query: ResourceQuery): Promise<{
    readonly items: readonly ResourceObject[]
    readonly total: number
    /** Where the next page starts; undefined for the last page. */
    readonly next: Position | undefined
  }>
  /** Those with this id, or else with this name: at most `limit`. */
  find(selection: Selection, idOrName: string, limit: number): Promise<readonly ResourceObject[]>
}
