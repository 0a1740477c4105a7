import { Type, type Static, type TSchema } from 'typebox'
import { exactObject, OptionalTimestamp, Timestamp } from '../scalars.ts'

/** An `enum` is a text from a known set of values. Equality on it ignores case: `provider=aws` finds `Aws`. */
export type FieldType = 'text' | 'enum' | 'number' | 'boolean' | 'timestamp' | 'object'

export type FieldUse =
  | 'filter'
  | 'sort'
  /** Statistics can group by it, and the number of servers of each value is stored. */
  | 'count'
  /** `search` looks into it. */
  | 'search'
  /** Part of the short form, which lists return without `details`. */
  | 'short'

/** Common combinations of uses. */
export const filterable = ['filter', 'sort'] as const
export const short = [...filterable, 'short'] as const
export const searchable = [...filterable, 'search'] as const
export const shortSearchable = [...searchable, 'short'] as const

export interface FieldDescription {
  readonly type: FieldType
  readonly schema: TSchema
  readonly uses: readonly FieldUse[]
  readonly description: string
  /** The value if nothing is known. */
  readonly default: unknown
}

/**
 * A kind of thing in the inventory. Wire type, operations, query parameters, table columns and default
 * console columns are derived from it.
 */
export interface Resource {
  /** As on the wire: `{"host": …}`, and `/hosts`. */
  readonly key: string
  readonly keys: string
  /** As in operation ids: `getHost`, `listHosts`. */
  readonly noun: string
  readonly nouns: string
  /** As in a sentence: "a host", "hosts". */
  readonly one: string
  readonly many: string
  readonly fields: Readonly<Record<string, FieldDescription>>
  /** The fields that callers without a system role see and use. Absent: all fields. */
  readonly fieldsWithoutSystemRole?: readonly string[]
  /** The default columns of the console, where it has a list page that is made from the description. */
  readonly columns?: readonly string[]
}

/** What a field of this type can be used for. Counts and searches are of texts. */
type UseOf<Type extends FieldType> = Type extends 'text' | 'enum'
  ? FieldUse
  : Exclude<FieldUse, 'count' | 'search'>

const describe =
  <const Type extends FieldType, Schema extends TSchema>(
    type: Type,
    schema: (description: string) => Schema,
    emptyValue: Static<Schema>,
  ) =>
  <const Uses extends readonly UseOf<Type>[]>(
    description: string,
    uses: Uses,
    value: Static<Schema> = emptyValue,
  ) =>
    ({ type, schema: schema(description), uses, description, default: value }) as const

/** The fields of a description. The last argument is the default value, if it is not the empty one. */
export const text = describe('text', (description) => Type.String({ description }), '')
export const enumeration = describe('enum', (description) => Type.String({ description }), '')
export const number = describe('number', (description) => Type.Integer({ description }), 0)
export const boolean = describe('boolean', (description) => Type.Boolean({ description }), false)
export const timestamp = describe(
  'timestamp',
  (description) => ({ ...OptionalTimestamp, description }),
  null,
)
/** A timestamp that is always known. */
export const knownTimestamp = describe(
  'timestamp',
  (description) => ({ ...Timestamp, description }),
  '',
)

/** Part of the response only. */
export const object = <Schema extends TSchema>(
  description: string,
  schema: Schema,
  value: Static<Schema>,
) => ({ type: 'object', schema, uses: [], description, default: value }) as const

export type FieldName<R extends Resource> = keyof R['fields'] & string

/** The fields that are used for something. */
export type FieldUsedFor<R extends Resource, Use extends FieldUse> = {
  [Name in FieldName<R>]: Use extends R['fields'][Name]['uses'][number] ? Name : never
}[FieldName<R>]

export const fieldsUsedFor = <R extends Resource, Use extends FieldUse>(
  { fields }: R,
  use: Use,
): FieldUsedFor<R, Use>[] =>
  Object.keys(fields).filter((name) => fields[name]?.uses.includes(use)) as FieldUsedFor<R, Use>[]

/** The object on the wire. */
export type Wire<R extends Resource> = {
  [Name in FieldName<R>]: Static<R['fields'][Name]['schema']>
}

type WireProperties<R extends Resource> = {
  [Name in FieldName<R>]: R['fields'][Name]['schema']
}

export const wireProperties = <const R extends Resource>({ fields }: R) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { schema }]) => [name, schema]),
  ) as WireProperties<R>

export const wireSchema = <const R extends Resource>(resource: R) =>
  exactObject(wireProperties(resource), { title: resource.noun })

/** An object of which nothing is known. */
export const defaultValues = <const R extends Resource>({ fields }: R) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.default]),
  ) as Wire<R>
