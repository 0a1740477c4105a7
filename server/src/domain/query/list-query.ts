import type { ScopeParameter } from '@muster/contract'
import type { Condition, OtherCondition } from './condition.ts'

export interface Order<Field extends string> {
  readonly field: Field
  readonly descending: boolean
}

/** A page of a list, from either executor. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** The marker of the next page; undefined for the last page. */
  readonly next: string | undefined
  /** Number of all matches. */
  readonly total: number
}

/** The parsed and validated query of a list. */
export interface ListQuery<Field extends string, Other extends OtherCondition = never> {
  /** The plural of what is listed. */
  readonly resource: string
  readonly scope: ScopeParameter | undefined
  readonly where: Condition<Field, Other>
  /** The sort fields. Ties are sorted by id, in the direction of the last field. */
  readonly order: readonly Order<Field>[]
  readonly limit: number
  readonly offset: number
  readonly marker: string | undefined
  /** All fields instead of the short form. */
  readonly details: boolean
  /** Only these fields, in this order; undefined: all. */
  readonly keys: readonly string[] | undefined
}
