import type { Field } from './fields.ts'

/**
 * How a field is held against values. Text: `like contains startswith endswith` ignore case, all
 * else does not; it is compared by code point. What is absent (`null`, only moments can be) is
 * neither greater nor less than anything, and differs from everything.
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

/** Of the field's own kind; a moment in microseconds since 1970. */
export type Value = string | number | boolean

/** Places and owners that go by an id or by a name. */
export const namedResources = ['project', 'host', 'zone', 'region', 'account', 'manager'] as const
export type NamedResource = (typeof namedResources)[number]

/** What a server must be like to be in an answer. Each part is true or false of a server, never unknown. */
export type Condition =
  | {
      readonly kind: 'field'
      readonly field: Field
      readonly comparison: Comparison
      readonly values: readonly Value[]
    }
  /** One of the values is the place's id or its name. */
  | { readonly kind: 'place'; readonly place: NamedResource; readonly values: readonly string[] }
  /** Somewhere in name, id, addresses, MAC, host, description, external id or metadata values. */
  | { readonly kind: 'search'; readonly text: string }
  /**
   * A key without a prefix is the owner's own tag, or the source's where the owner has none of that
   * name. Without a value: the tag is there, whatever it says.
   */
  | { readonly kind: 'tag'; readonly key: string; readonly value: string | undefined }
  /** A NIC's address, or the public one, lies in this network: first and last address, in hex. */
  | { readonly kind: 'address'; readonly first: string; readonly last: string }
  | { readonly kind: 'all'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'any'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }

export const everyServer: Condition = { kind: 'all', conditions: [] }
