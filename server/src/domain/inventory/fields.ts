import { fieldsUsedFor, servers, type FieldType, type FieldUsedFor } from '@muster/contract'

export { callerFields, type CallerField } from '@muster/contract'

export type FieldKind = 'boolean' | 'timestamp' | 'number' | 'text'

/** A field that a list can be filtered and sorted by: every scalar one that is the same for all. */
export type Field = FieldUsedFor<typeof servers, 'filter'>

const kindOf = (type: Exclude<FieldType, 'object'>): FieldKind => (type === 'enum' ? 'text' : type)

const names = fieldsUsedFor(servers, 'filter')

/** Every such field with its kind. */
export const fields = Object.fromEntries(
  names.map((name) => [name, kindOf(servers.fields[name].type)]),
) as Readonly<Record<Field, FieldKind>>

export const isField = (name: string): name is Field => Object.hasOwn(fields, name)

/** Fields with a known set of values. Equality on them ignores case: `provider=aws` finds `Aws`. */
export const enumerated: ReadonlySet<Field> = new Set(
  names.filter((name) => servers.fields[name].type === 'enum'),
)

/** The keys of the short object, in its order. */
export const shortFields = fieldsUsedFor(servers, 'short')
