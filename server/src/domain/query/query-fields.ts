import { fieldsUsedFor, type FieldType, type FieldUsedFor, type Resource } from '@muster/contract'
import type { Condition, OtherCondition } from './condition.ts'
import { anyOf, oneOf } from './conditions.ts'

export type FieldKind = 'boolean' | 'timestamp' | 'number' | 'text'

/** The names that a query can use, derived once from the description of a resource. */
export interface QueryFields<Field extends string, Other extends OtherCondition = never> {
  /** The plural in error texts. */
  readonly many: string
  /** The fields that a list can be filtered by, with their kinds. */
  readonly kinds: Readonly<Record<Field, FieldKind>>
  /** Equality on them ignores case: `provider=aws` finds `Aws`. */
  readonly enumerated: ReadonlySet<string>
  readonly sortable: ReadonlySet<string>
  /** `search` looks into them. */
  readonly searched: readonly Field[]
  /** All fields of the response. */
  readonly keys: readonly string[]
  /** The fields of the response without `details`, in their order. */
  readonly shortKeys: readonly string[]
  /** Fields in MB, which `q` also takes as `8G`. */
  readonly sizes: ReadonlySet<string>
  /** Other names of fields in `q`. */
  readonly shortNames: Readonly<Record<string, string>>
  /** Names in `q` with a syntax of their own. */
  readonly special: Readonly<
    Record<string, (texts: readonly string[]) => readonly Condition<Field, Other>[]>
  >
  /** Equality of a name that stands for more than one field, such as an id or a name. */
  named(name: string, texts: readonly string[]): Condition<Field, Other> | undefined
}

const kindOf = (type: FieldType | undefined): FieldKind =>
  type === 'enum' || type === 'object' || type === undefined ? 'text' : type

/** Derives what queries need from a resource, or from those of its fields that a caller may use. */
export function queryFieldsOf<const R extends Resource>(
  resource: R,
  allowed?: readonly string[],
): QueryFields<FieldUsedFor<R, 'filter'>> {
  type Field = FieldUsedFor<R, 'filter'>
  const isAllowed = (name: string) => allowed?.includes(name) ?? true
  const used = <Use extends 'filter' | 'sort' | 'short'>(use: Use) =>
    fieldsUsedFor(resource, use).filter(isAllowed)
  const filters = used('filter')
  const isField = (name: string): name is Field => filters.some((field) => field === name)
  return {
    many: resource.many,
    kinds: Object.fromEntries(
      filters.map((name) => [name, kindOf(resource.fields[name]?.type)]),
    ) as Record<Field, FieldKind>,
    enumerated: new Set(filters.filter((name) => resource.fields[name]?.type === 'enum')),
    sortable: new Set(used('sort')),
    searched: filters.filter((name) => resource.fields[name]?.uses.includes('search')),
    keys: Object.keys(resource.fields).filter(isAllowed),
    shortKeys: used('short'),
    sizes: new Set(['mem_size']),
    shortNames: Object.fromEntries(
      Object.entries({ created: 'created_at', updated: 'updated_at' }).filter(([, name]) =>
        isField(name),
      ),
    ),
    special: {},
    /** `zone=…` is the name or the id of the zone, if the resource has both fields. */
    named(name, texts) {
      const id = `${name}_id`
      if (!isField(name) || !isField(id)) return undefined
      return anyOf([oneOf(name, texts), oneOf(id, texts)])
    },
  }
}

export const isField = <Field extends string, Other extends OtherCondition>(
  { kinds }: QueryFields<Field, Other>,
  name: string,
): name is Field => Object.hasOwn(kinds, name)
