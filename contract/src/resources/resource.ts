import { Type, type Static, type TSchema } from 'typebox'
import { exactObject, OptionalTimestamp, Timestamp } from '../scalars.ts'
import type { ResourceNames } from './names.ts'

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
  /** The field of the parent server that has the value. It is not stored again. */
  readonly ofServer?: string
  /** The unit of a number, for the console. */
  readonly unit?: 'MB'
  /** Why a field of an administered resource is not stored. */
  readonly notStored?: 'constant' | 'computed' | 'derived' | { readonly sameAs: string }
  /** The field of a server that refers to the resource. It has the value if the source does not report the resource. */
  readonly fromServer?: string
}

/**
 * A kind of thing in the inventory. Wire type, operations, query parameters, table columns and default
 * console columns are derived from it.
 */
export interface Resource extends ResourceNames {
  readonly fields: Readonly<Record<string, FieldDescription>>
  /** The fields that callers without a system role see and use. Absent: all fields. */
  readonly fieldsWithoutSystemRole?: readonly string[]
  /** The default columns of the console, where it has a list page that is made from the description. */
  readonly columns?: readonly string[]
}

/** Who sees an item, besides callers with a system role, who see all. */
type InventoryVisibility =
  /** Those who see a server that refers to it. */
  | {
      readonly through: 'servers'
      /** The field of a server with the id; `nics` for the networks of its NICs. */
      readonly field: string
      /** The filter of servers for the id, if it is not the field. */
      readonly filter?: string
      /** The field with the number of servers. It is not stored. */
      readonly count: string
    }
  /** Those who see the server that it belongs to. */
  | {
      readonly through: 'parent'
      /** The field with the id of the server. */
      readonly field: string
    }

/** A resource that Muster finds at sources, besides servers. */
export interface InventoryResource extends Resource {
  readonly visibility: InventoryVisibility
  /** The section of the API reference. */
  readonly tag: string
  readonly example: object
  /** Parameters that Cloudpods' client always sends as false. */
  readonly unsupportedFlags?: readonly string[]
}

/** Which items a role in a domain or in a project shows. */
type ScopeCondition =
  | 'all'
  | 'none'
  /** Those with the id of the domain, or of the domain of the project, in this field. */
  | { readonly domain: string }
  /** Those with the id of the project in this field. */
  | { readonly project: string }
  /** Those whose field refers to a user or a project of the domain. */
  | { readonly field: string; readonly inDomain: 'users' | 'projects' }
  /** The users or groups that have a role in the project. */
  | { readonly holders: 'user_id' | 'group_id' }

/** A resource that belongs to a domain, a project or a user. Callers with a system role see all. */
export interface AdministeredResource extends Resource {
  readonly visibility: {
    readonly domain: ScopeCondition
    readonly project: ScopeCondition
    /** The field with the id of the user who sees it without a role. */
    readonly user?: string
    /** The field with the id of a user, if the owner of a service account sees what belongs to it. */
    readonly serviceAccount?: string
  }
  /** Where two cannot have the same name. */
  readonly uniqueName: 'everywhere' | 'nowhere' | 'domain_id' | 'project_id'
  /** The form of the console. */
  readonly form?: AdministrationForm
}

interface AdministrationForm {
  readonly fields: readonly string[]
  readonly required: readonly string[]
  /** Fields that cannot be changed later. */
  readonly once: readonly string[]
  /** Texts of several lines, besides `description`. */
  readonly long?: readonly string[]
}

/** A resource with pages in the console. */
export type PageResource = AdministeredResource &
  Required<Pick<AdministeredResource, 'columns' | 'form'>>

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

/** A number of megabytes. */
export const megabytes = <const Uses extends readonly UseOf<'number'>[]>(
  description: string,
  uses: Uses,
) => ({ ...number(description, uses), unit: 'MB' }) as const

/** A field that has the value of a field of the parent server. */
export const ofServer = <const Name extends string, const Field extends FieldDescription>(
  name: Name,
  field: Field,
) => ({ ...field, ofServer: name }) as const

/** A field that servers that refer to the resource know. */
export const fromServer = <const Name extends string, const Field extends FieldDescription>(
  name: Name,
  field: Field,
) => ({ ...field, fromServer: name }) as const

/** Fields that the descriptions of several resources of the inventory share. */
export const providerField = fromServer(
  'provider',
  enumeration('`OneCloud`, `VMware`, `OpenStack`, `Aws`, …', short),
)
export const regionFields = {
  cloudregion: fromServer('region', text('Name of the region', short)),
  cloudregion_id: fromServer('cloudregion_id', text('Id of the region', short)),
} as const
export const seenFields = (noun: string) =>
  ({
    created_at: timestamp(`When Muster first saw the ${noun}`, short),
    updated_at: timestamp('When Muster last saw a change', filterable),
  }) as const

/** Part of the response only. */
export const object = <Schema extends TSchema>(
  description: string,
  schema: Schema,
  value: Static<Schema>,
) => ({ type: 'object', schema, uses: [], description, default: value }) as const

type ItemField<R extends InventoryResource> = {
  [Name in FieldName<R>]: Name extends R['visibility']['field']
    ? never
    : R['fields'][Name] extends { readonly ofServer: string }
      ? never
      : Name
}[FieldName<R>]

/** What a server says about an item that belongs to it. */
export type Item<R extends InventoryResource> = Pick<Wire<R>, ItemField<R>>

/** The names of its fields, without those of the server. */
export const itemFields = ({ fields, visibility }: InventoryResource): readonly string[] =>
  Object.keys(fields).filter(
    (name) => fields[name]?.ofServer === undefined && name !== visibility.field,
  )

/** A field of servers with the items of a resource that belong to the server. */
export const itemsOf = <
  const R extends InventoryResource & { readonly visibility: { readonly through: 'parent' } },
>(
  resource: R,
) => {
  const properties = wireProperties(resource)
  const own = itemFields(resource) as ItemField<R>[]
  const item = exactObject(
    Object.fromEntries(own.map((name) => [name, properties[name]])) as Pick<
      WireProperties<R>,
      ItemField<R>
    >,
  )
  return object(resource.nouns, Type.Array(item), [])
}

/** Always the default value. */
export const constant = <const Field extends FieldDescription>(field: Field) =>
  ({ ...field, notStored: 'constant' }) as const

/** A value that is computed when the resource is shown. */
export const computed = <const Field extends FieldDescription>(field: Field) =>
  ({ ...field, notStored: 'computed' }) as const

/** A value that the database computes from others when it is read, so that lists can be filtered by it. */
export const derived = <const Field extends FieldDescription>(field: Field) =>
  ({ ...field, notStored: 'derived' }) as const

/** Another name of a field. */
export const sameAs = <const Name extends string, const Field extends FieldDescription>(
  name: Name,
  field: Field,
) => ({ ...field, notStored: { sameAs: name } }) as const

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

/** The value that is stored. Times are milliseconds since 1970. */
type StoredValue<Field extends FieldDescription> = Field['type'] extends 'timestamp'
  ? number | (null extends Static<Field['schema']> ? null : never)
  : Static<Field['schema']> extends readonly (infer Item)[]
    ? readonly Item[]
    : Static<Field['schema']>

/** What is stored of an administered resource. */
export type Stored<R extends Resource> = {
  readonly [
    Name in FieldName<R> as R['fields'][Name] extends { readonly notStored: unknown } ? never : Name
  ]: StoredValue<R['fields'][Name]>
}

/** The fields that the database computes when it reads. */
export const derivedFields = ({ fields }: Resource): string[] =>
  Object.keys(fields).filter((name) => fields[name]?.notStored === 'derived')

export const storedFields = ({ fields }: Resource): [string, FieldDescription][] =>
  Object.entries(fields).filter(([, { notStored }]) => notStored === undefined)

/** An object of which nothing is known. */
export const defaultValues = <const R extends Resource>({ fields }: R) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.default]),
  ) as Wire<R>
