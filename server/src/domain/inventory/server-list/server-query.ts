import type { Server, ScopeParameter } from '@muster/contract'
import type { Format } from '../../query/choose-format.ts'
import type { ListQuery, Order as OrderOf } from '../../query/list-query.ts'
import type { Condition, Field } from '../condition.ts'

/** Servers in use, in the recycle bin, both, or deleted. */
export type StateFilter = 'live' | 'recycled' | 'live-and-recycled' | 'deleted'

/** The part of a query that selects servers. Lists, exports and statistics share it. */
export interface ServerFilter {
  /** Absent: the scope of the token. */
  readonly scope: ScopeParameter | undefined
  readonly state: StateFilter
  readonly where: Condition
}

export type Order = OrderOf<Field>

/** Which fields of each server are returned. */
export interface ServerShape {
  /** The full object instead of the short one. */
  readonly details: boolean
  readonly withMetadata: boolean
  /** Only these keys, in this order; undefined: all. */
  readonly keys: readonly (keyof Server)[] | undefined
}

/** The parsed and validated query of a server list. */
export interface ServerQuery
  extends
    ServerFilter,
    ServerShape,
    Pick<ListQuery<Field>, 'order' | 'limit' | 'offset' | 'marker'> {
  readonly format: Format
}

/** Groups statistics by a field or by a metadata key. */
export type Grouping =
  | { readonly name: string; readonly field: Field }
  | { readonly name: string; readonly metadataKey: string }

export interface StatisticsQuery extends ServerFilter {
  readonly groups: readonly Grouping[]
}
