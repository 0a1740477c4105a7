import { Type, type Static, type TObject, type TSchema } from 'typebox'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { cloudpodsNote, defaultPageSize, maxPageSize } from '../paging.ts'
import { exactObject, sameType } from '../scalars.ts'
import {
  fieldsUsedFor,
  wireSchema,
  type FieldDescription,
  type FieldType,
  type FieldUsedFor,
  type InventoryResource,
  type Resource,
} from './resource.ts'

const maxValues = 100

/** Can be repeated or numbered: `status.0=…&status.1=…`. */
export const several = <Schema extends TSchema>(
  schema: Schema,
  description: string,
  maxItems = maxValues,
) => Type.Optional(Type.Array(schema, { maxItems, description }))

export const timestampFormats = 'UTC: `2026-05-04T08:00:00Z`, `2026-05-04 08:00:00` or `2026-05-04`'

/** The server checks the format of timestamps. */
const parameterByType = {
  text: several(Type.String({ maxLength: 1024 }), 'Exact value, or one of several'),
  enum: several(Type.String({ maxLength: 1024 }), 'Exact value, or one of several. Ignores case.'),
  number: several(Type.Integer(), 'Exact value, or one of several'),
  boolean: several(Type.Boolean(), 'Exact value'),
  timestamp: several(
    Type.String({ maxLength: 32, examples: ['2026-05-04T08:00:00Z'] }),
    `Exact time. ${timestampFormats}`,
  ),
} as const satisfies Record<Exclude<FieldType, 'object'>, TSchema>

type FieldParameters<R extends Resource> = {
  [Name in FieldUsedFor<R, 'filter'>]: (typeof parameterByType)[R['fields'][Name]['type'] &
    keyof typeof parameterByType]
}

/** A value that the field can never have is an error rather than an empty list. */
function filterParameter({ type, schema }: FieldDescription): TSchema {
  if ('enum' in schema) return several(schema, 'Exact value, or one of several')
  return parameterByType[type as keyof typeof parameterByType]
}

/** Every filter field as a parameter. */
export const fieldParameters = <const R extends Resource>({ fields }: R) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, { uses }]) => uses.includes('filter'))
      .map(([name, field]) => [name, filterParameter(field)]),
  ) as FieldParameters<R>

/** The values of the parameter `scope`. The scope of a token decides which project or domain it is. */
export const scopeValues = ['project', 'domain', 'system', 'max'] as const
export type ScopeParameter = (typeof scopeValues)[number]

export const scopeParameter = (description: string) =>
  Type.Optional(Type.Enum([...scopeValues], { description }))

export const fieldName = Type.String({ minLength: 1, maxLength: 64 })

/** Maximum length of `q`. */
export const maxQueryLength = 2048

/** Maximum number of sort fields. */
export const maxSortFields = 16

/** Reads of the inventory as it was. Operations that act have no such parameter. */
export const asOf = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 40,
    description:
      'Answers as it was at this moment of the past: a time such as `2026-05-04T08:00:00Z` or `2026-05-04T10:00+02:00`, a day such as `2026-05-04` (its start in UTC), `yesterday`, or `-30m`, `-2h`, `-7d`. Times ago are rounded down to the minute. The header `Muster-As-Of` has the moment. Permissions and the names of projects are those of today.',
    examples: ['-2h'],
  }),
)

/** The header of an answer about the past. */
export const asOfHeader = {
  'Muster-As-Of': 'With `as_of`: the moment that the answer is about',
  'Muster-Gaps':
    'With `as_of`, if accounts of servers that you can access were not observed at the moment: a list of RFC 9651, such as `"b7d2f0c4-6e1a-4f8b-9c3d-5a4e3f2b1c0d";from=@1763510400;until=@1763512800`. Without `from`, the account was never observed before; without `until`, it is not observed yet. `region` is the id of the region at the source, if only that was not observed. At most 20 gaps; `more;gaps=7` tells how many others there are.',
}

/** The scope in which one item is looked up. */
export const scopeOfOne = scopeParameter('Scope of the lookup. Default: everything you can access.')

/** The filters of every list, and of every operation that takes the filters of a list. */
export const filterParameters = {
  filter: several(
    Type.String({ maxLength: 8192 }),
    "`name.contains('web')`, with `in notin between ge gt le lt like contains startswith endswith equals notequals isnull isnotnull isempty isnotempty isnullorempty`. Several filters must all match.",
  ),
  filter_any: Type.Optional(Type.Boolean({ description: 'One matching `filter` is enough' })),
  q: Type.Optional(
    Type.String({
      maxLength: maxQueryLength,
      description:
        'Search query: `status:running provider:Aws -name:test web`. A comma means "or", a leading `-` "not". Words without a field are searched for.',
    }),
  ),
}

/** Paging, sorting and shape of a list. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: `Page size. Default: ${defaultPageSize}, maximum: ${maxPageSize}.`,
    }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Number of items to skip. Default: 0.' }),
  ),
  marker: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Start of the next page, from the `Link` header. The query must stay the same.',
    }),
  ),
  order_by: several(
    fieldName,
    'Sort field. Default: `created_at`, or ascending `name` if you cannot see `created_at`.',
    maxSortFields,
  ),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Sort order. Default: `desc`.' })),
  field: several(fieldName, 'Return only these fields'),
  details: Type.Optional(
    Type.Boolean({ description: 'Return all fields. Default: a short form.' }),
  ),
}

function searchParameter(resource: Resource) {
  const names = fieldsUsedFor(resource, 'search').map((name) => `\`${name}\``)
  const limited = resource.fieldsWithoutSystemRole ? ', as far as you can see these fields' : ''
  const description = `Text anywhere in ${names.join(', ')}${limited}. Ignores case.`
  return Type.Optional(Type.String({ maxLength: 256, description }))
}

const ignored = Type.Optional(Type.Boolean({ description: cloudpodsNote }))

/** Only the default that Cloudpods' client sends, because `true` would change the list. */
const unsupported = Type.Optional(Type.Literal(false, { description: cloudpodsNote }))

/** The query of a list: filters, paging, sorting and shape. */
const listQuery = <const R extends Resource, const Scope extends TSchema>(
  resource: R,
  scope: Scope,
) =>
  exactObject({
    ...fieldParameters(resource),
    ...filterParameters,
    search: searchParameter(resource),
    ...pageParameters,
    scope,
    admin: ignored,
    summary_stats: unsupported,
  })

/** Narrows a list that otherwise has everything that the caller can access. */
export const narrowingScope = scopeParameter(
  'Only what is in the project or domain of your token. Default: everything you can access.',
)

/** The query of a list whose items have no short form. */
export const completeListQuery = <const R extends Resource, const Scope extends TSchema>(
  resource: R,
  scope: Scope,
) =>
  exactObject({
    ...listQuery(resource, scope).properties,
    details: Type.Optional(Type.Boolean({ description: 'No effect: items are always complete' })),
  })

export const wholeListLimit = Type.Optional(
  Type.Integer({
    minimum: 0,
    description: `Page size, at most ${maxPageSize}. Default: the whole list.`,
  }),
)

/** A schema that is checked as such, and has the type of another one: `typedAs` tells generators of types. */
export const typedAs = <Typed extends TSchema>(typed: Typed, schema: TSchema) =>
  Object.defineProperty(Type.Unsafe<Static<Typed>>(schema), 'typedAs', { value: typed })

/** Items have fewer keys only if `field` asks for it, so the type has all of them. */
export const selected = <Item extends TObject>(item: Item) =>
  typedAs(item, Type.Partial(item, { additionalProperties: false }))

/** The body of a list. Without `details`, it contains only some of the fields. */
export const listBody = <const Keys extends string, Item extends TSchema>(keys: Keys, item: Item) =>
  exactObject({
    limit: Type.Integer(),
    offset: Type.Integer(),
    ...({ [keys]: Type.Array(item) } as Record<Keys, ReturnType<typeof Type.Array<Item>>>),
    total: Type.Integer(),
  })

const permission = <const Action extends 'list' | 'get'>(action: Action) =>
  ({
    service: 'compute',
    // A resource is visible to those who can see a server that refers to it, or its parent.
    resource: 'servers',
    action,
    at: ['system', 'domain', 'project'],
  }) as const

const sharedScope = scopeParameter(
  'Only what servers of this scope have. Default: everything you can access.',
)

const describeVisibility = ({ many, visibility }: InventoryResource) =>
  visibility.through === 'servers'
    ? `With a system role you see all ${many}. Otherwise you see the ${many} that a server visible to you refers to, and counts of your servers only.`
    : `You see the ${many} of the servers that you can access.`

type FlagsOf<R extends InventoryResource> = R extends {
  readonly unsupportedFlags: infer Flags extends readonly string[]
}
  ? Flags
  : readonly []

const flagsOf = <R extends InventoryResource>({ unsupportedFlags = [] }: R) =>
  unsupportedFlags as FlagsOf<R>

/** List and get of a resource. */
const operationsOn = <const R extends InventoryResource>(resource: R) => {
  const { one, many, tag, example } = resource
  const [key, keys]: [R['key'], R['keys']] = [resource.key, resource.keys]
  const [noun, nouns]: [R['noun'], R['nouns']] = [resource.noun, resource.nouns]
  const common = { ...platformDefaults, tag } as const
  const partial = Type.Partial(wireSchema(resource), { additionalProperties: false })
  const visibility = describeVisibility(resource)
  return [
    {
      id: `list${nouns}` as const,
      method: 'GET',
      path: `/${keys}` as const,
      ...common,
      permission: permission('list'),
      summary: `List ${many}`,
      description: visibility,
      query: exactObject({
        ...listQuery(resource, sharedScope).properties,
        as_of: asOf,
        ...sameType(flagsOf(resource), unsupported),
      }),
      responses: {
        200: {
          description: `A page of ${many}`,
          body: listBody(keys, partial),
          headers: { Link: 'The next page, if there is one: `rel="next"`', ...asOfHeader },
          example: { limit: defaultPageSize, offset: 0, [keys]: [example], total: 1 },
        },
      },
    },
    {
      id: `get${noun}` as const,
      method: 'GET',
      path: `/${keys}/{id}` as const,
      ...common,
      permission: permission('get'),
      summary: `Get ${one}`,
      description: `By id or name. If several ${many} have the name, 409 lists their ids. ${visibility}`,
      query: exactObject({ scope: sharedScope, as_of: asOf, details: ignored }),
      responses: {
        200: {
          description: `The ${key}`,
          body: exactObject({ [key]: partial } as Record<R['key'], typeof partial>),
          example: { [key]: example },
        },
      },
    },
  ] as const satisfies readonly Operation[]
}

type OperationsOn<Resources extends Readonly<Record<string, InventoryResource>>> = {
  [Kind in keyof Resources]: ReturnType<typeof operationsOn<Resources[Kind]>>[number]
}[keyof Resources]

/** List and get of each of these resources. */
export const inventoryOperations = <
  const Resources extends Readonly<Record<string, InventoryResource>>,
>(
  resources: Resources,
) => Object.values(resources).flatMap(operationsOn) as readonly OperationsOn<Resources>[]
