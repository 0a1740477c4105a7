import type { Server } from '@muster/contract'
import type { Condition } from './condition.ts'
import type { Field } from './fields.ts'

/** Which servers are looked at: those in use, those in the recycle bin, both, or those that are gone. */
export type StateFilter = 'live' | 'recycled' | 'live-and-recycled' | 'deleted'

/** How far a caller asks to see; absent: as far as the token's own scope. */
export type ScopeParameter = 'project' | 'domain' | 'system' | 'max'

/** The part of a query that says which servers. Lists, exports and statistics have it in common. */
export interface ServerSelection {
  readonly scope: ScopeParameter | undefined
  readonly view: StateFilter
  readonly where: Condition
}

export interface Order {
  readonly field: Field
  readonly descending: boolean
}

/** What of each server is answered. */
export interface ServerShape {
  /** The full object, or the short one. */
  readonly details: boolean
  readonly withMetadata: boolean
  /** Only these keys, in this order, where any are named. */
  readonly keys: readonly (keyof Server)[] | undefined
}

/** A list of servers as somebody asks for it: read from a URL, checked, nothing left to parse. */
export interface ServerQuery extends ServerSelection, ServerShape {
  /** What to sort by; after it, always by id in the direction of the last. */
  readonly order: readonly Order[]
  readonly limit: number
  readonly offset: number
  readonly marker: string | undefined
  readonly format: 'json' | 'csv' | 'ndjson'
}

/** What the statistics are grouped by: a field, or a key of the metadata. */
export type Grouping =
  | { readonly name: string; readonly field: Field }
  | { readonly name: string; readonly metadataKey: string }

export interface StatisticsQuery extends ServerSelection {
  readonly groups: readonly Grouping[]
}
