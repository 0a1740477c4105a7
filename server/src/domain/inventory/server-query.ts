import type { Server } from '@muster/contract'
import type { Condition } from './condition.ts'
import type { Field } from './fields.ts'

/** Servers in use, in the recycle bin, both, or deleted. */
export type StateFilter = 'live' | 'recycled' | 'live-and-recycled' | 'deleted'

/** The `scope` parameter; absent: the scope of the token. */
export type ScopeParameter = 'project' | 'domain' | 'system' | 'max'

/** The part of a query that selects servers. Lists, exports and statistics share it. */
export interface ServerSelection {
  readonly scope: ScopeParameter | undefined
  readonly view: StateFilter
  readonly where: Condition
}

export interface Order {
  readonly field: Field
  readonly descending: boolean
}

/** Which fields of each server are returned. */
export interface ServerShape {
  /** The full object instead of the short one. */
  readonly details: boolean
  readonly withMetadata: boolean
  /** Only these keys, in this order; undefined: all. */
  readonly keys: readonly (keyof Server)[] | undefined
}

/** The parsed and validated query of a server list. */
export interface ServerQuery extends ServerSelection, ServerShape {
  /** The sort fields. Ties are sorted by id, in the direction of the last field. */
  readonly order: readonly Order[]
  readonly limit: number
  readonly offset: number
  readonly marker: string | undefined
  readonly format: 'json' | 'csv' | 'ndjson'
}

/** Groups statistics by a field or by a metadata key. */
export type Grouping =
  | { readonly name: string; readonly field: Field }
  | { readonly name: string; readonly metadataKey: string }

export interface StatisticsQuery extends ServerSelection {
  readonly groups: readonly Grouping[]
}
