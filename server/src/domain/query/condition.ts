/**
 * How a field is compared with values. On text, `like contains startswith endswith` ignore case; the
 * others compare code points. `null`, which only timestamps can be, is neither greater nor less than
 * any value, and not equal to any.
 */
export const comparisons = [
  'in',
  'notin',
  'between',
  'ge',
  'gt',
  'le',
  'lt',
  'like',
  'contains',
  'startswith',
  'endswith',
  'equals',
  'notequals',
  'isnull',
  'isnotnull',
  'isempty',
  'isnotempty',
  'isnullorempty',
] as const
export type Comparison = (typeof comparisons)[number]

/** A value of the field's kind. Timestamps are microseconds since 1970. */
export type Value = string | number | boolean

export interface FieldCondition<Field extends string> {
  readonly kind: 'field'
  readonly field: Field
  readonly comparison: Comparison
  readonly values: readonly Value[]
}

/** A condition that only some resources have. With values it compares columns; else it is costly. */
export interface OtherCondition {
  readonly kind: 'resource' | 'tag' | 'address' | 'network'
  readonly values?: readonly string[]
}

/** A condition on a resource. Every part is true or false for an object, never unknown. */
export type Condition<Field extends string, Other extends OtherCondition = never> =
  | FieldCondition<Field>
  /** The text occurs in one of the searched fields. */
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'all'; readonly conditions: readonly Condition<Field, Other>[] }
  | { readonly kind: 'any'; readonly conditions: readonly Condition<Field, Other>[] }
  | { readonly kind: 'not'; readonly condition: Condition<Field, Other> }
  | Other
