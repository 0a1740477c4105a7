import type { Field } from './fields.ts'

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

/** Resources that a query names by id or by name. */
export const namedResources = ['project', 'host', 'zone', 'region', 'account', 'manager'] as const
export type NamedResource = (typeof namedResources)[number]

/** A condition on servers. Every part is true or false for a server, never unknown. */
export type Condition =
  | {
      readonly kind: 'field'
      readonly field: Field
      readonly comparison: Comparison
      readonly values: readonly Value[]
    }
  /** One of the values is the id or the name of the resource. */
  | { readonly kind: 'place'; readonly place: NamedResource; readonly values: readonly string[] }
  /** Somewhere in name, id, addresses, MAC, host, description, external id or metadata values. */
  | { readonly kind: 'search'; readonly text: string }
  /**
   * A key without a prefix is the tag of the user, or that of the source if the user has set none.
   * Without a value, the tag must exist.
   */
  | { readonly kind: 'tag'; readonly key: string; readonly value: string | undefined }
  /** The address of a NIC or the public address is in this range, in hex. */
  | { readonly kind: 'address'; readonly first: string; readonly last: string }
  | { readonly kind: 'all'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'any'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }

export const everyServer: Condition = { kind: 'all', conditions: [] }
