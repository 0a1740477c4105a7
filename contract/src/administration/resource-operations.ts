import { Type, type TObject, type TProperties, type TSchema } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { PermissionLevel, Operation } from '../operation.ts'
import {
  completeListQuery,
  fieldName,
  maxSortFields,
  narrowingScope,
  selected,
  several,
  wholeListLimit,
} from '../resources/list-operations.ts'
import {
  computed,
  fieldsUsedFor,
  object,
  searchable,
  text,
  wireSchema,
  type Resource,
} from '../resources/resource.ts'
import { exactObject } from '../scalars.ts'
import { listExample } from './examples.ts'

const Text = Type.String()

/** The addresses of the pages of a list. */
const PageLinks = exactObject({
  self: Text,
  next: Type.Union([Text, Type.Null()]),
  previous: Type.Union([Text, Type.Null()]),
})

/** The first fields of what has a unique name. */
export const idAndName = {
  id: text('Id', searchable),
  name: text('Name. Equality ignores case and width.', searchable),
} as const

/** The form of a resource that belongs to a domain. */
export const formInDomain = {
  fields: ['name', 'domain_id', 'description'],
  required: ['name', 'domain_id'],
  once: ['domain_id'],
} as const

/** The field with the address of the resource itself. */
export const links = computed(
  object('The address of the resource', exactObject({ self: Text }), { self: '' }),
)

/** Parameters that differ from those of the platform's lists. */
const keystoneParameters = {
  limit: wholeListLimit,
  marker: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Start after this item: the marker in `links.next`, or the id of the last item',
    }),
  ),
  order_by: several(fieldName, 'Sort field', maxSortFields),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      description: 'Sort order. Default: `desc` with `order_by`, otherwise `asc`.',
    }),
  ),
}

/** The query of a list under `/v3`. */
export const keystoneListQuery = <const R extends Resource>(resource: R) =>
  exactObject({
    ...completeListQuery(resource, narrowingScope).properties,
    ...keystoneParameters,
    sort_key: Type.Optional(
      Type.Enum(fieldsUsedFor(resource, 'sort') as string[], {
        description: 'Keystone’s name of `order_by`, with `sort_dir`',
      }),
    ),
    sort_dir: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default: `asc`' })),
  })

/** The body of a list under `/v3`: that of Keystone, and the keys of the platform's lists. */
export const keystoneListBody = <const Keys extends string, Item extends TObject>(
  keys: Keys,
  item: Item,
) =>
  exactObject({
    ...keyed(keys, Type.Array(selected(item))),
    links: PageLinks,
    limit: Type.Integer({ description: 'Page size. Without the parameter: `total`.' }),
    offset: Type.Integer(),
    total: Type.Integer({ description: 'Number of all matches' }),
  })

const keyed = <const Key extends string, Schema>(key: Key, schema: Schema) =>
  ({ [key]: schema }) as Record<Key, Schema>

interface Description<New extends TSchema, Changes extends TSchema, Made extends TSchema> {
  readonly tag: string
  /** The response of the create operation, if it contains more, such as a secret. */
  readonly made?: Made
  readonly create: New
  readonly update: Changes
  readonly at: {
    readonly read: readonly PermissionLevel[]
    readonly write: readonly PermissionLevel[]
  }
  /** Parameters of the operations that read it, which have no effect. */
  readonly ignored?: TProperties
  readonly notes?: Partial<Record<'list' | 'get' | 'create' | 'update' | 'delete', string>>
  readonly examples: {
    readonly view: unknown
    readonly made?: unknown
    readonly create: unknown
    readonly update: unknown
  }
}

const note = (text: string | undefined) => (text === undefined ? {} : { description: text })

/** List, get, create, update and delete of a resource. */
export function resourceOperations<
  const R extends Resource,
  New extends TSchema,
  Changes extends TSchema,
  Made extends TSchema = ReturnType<typeof wireSchema<R>>,
>(resource: R, description: Description<New, Changes, Made>) {
  const { one, many } = resource
  const [key, keys]: [R['key'], R['keys']] = [resource.key, resource.keys]
  const [noun, nouns]: [R['noun'], R['nouns']] = [resource.noun, resource.nouns]
  const { tag, at, ignored, notes = {}, examples } = description
  const collection = `/v3/${keys}` as const
  const item = `/v3/${keys}/{id}` as const
  const view = wireSchema(resource)
  const body = exactObject(keyed(key, view))
  const example = { [key]: examples.view }
  const made = {
    body: exactObject(keyed(key, (description.made ?? view) as Made)),
    example: { [key]: examples.made ?? examples.view },
  }
  const common = { ...identityDefaults, tag } as const
  const withIgnored = <Query extends TObject>(query: Query) =>
    exactObject({ ...query.properties, ...ignored }) as unknown as Query
  const permission = (action: 'list' | 'get' | 'create' | 'update' | 'delete') =>
    ({
      service: 'identity',
      resource: keys,
      action,
      at: action === 'list' || action === 'get' ? at.read : at.write,
    }) as const
  return [
    {
      id: `list${nouns}` as const,
      method: 'GET',
      path: collection,
      ...common,
      permission: permission('list'),
      summary: `List ${many}`,
      ...note(notes.list),
      query: withIgnored(keystoneListQuery(resource)),
      responses: {
        200: {
          description: `${many.charAt(0).toUpperCase()}${many.slice(1)} that you can access`,
          body: keystoneListBody(keys, view),
          example: listExample(keys, collection, examples.view),
        },
      },
    },
    {
      id: `get${noun}` as const,
      method: 'GET',
      path: item,
      ...common,
      permission: permission('get'),
      summary: `Get ${one}`,
      ...note(notes.get),
      query: withIgnored(
        exactObject({
          domain_id: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 64,
              description: '404 unless it is in this domain. For Keystone clients.',
            }),
          ),
        }),
      ),
      responses: { 200: { description: 'Found', body, example } },
    },
    {
      id: `create${noun}` as const,
      method: 'POST',
      path: collection,
      ...common,
      permission: permission('create'),
      summary: `Create ${one}`,
      ...note(notes.create),
      body: exactObject(keyed(key, description.create)),
      example: { [key]: examples.create },
      ...(description.made && { hasSecretResponse: true as const }),
      responses: { 201: { description: 'Created', ...made } },
    },
    {
      id: `update${noun}` as const,
      method: 'PUT',
      path: item,
      ...common,
      permission: permission('update'),
      summary: `Update ${one}`,
      description: ['Send only the fields to change. `PATCH` is an alias.', notes.update]
        .filter((sentence) => sentence !== undefined)
        .join(' '),
      body: exactObject(keyed(key, description.update)),
      example: { [key]: examples.update },
      responses: { 200: { description: 'Updated', body, example } },
    },
    {
      id: `delete${noun}` as const,
      method: 'DELETE',
      path: item,
      ...common,
      permission: permission('delete'),
      summary: `Delete ${one}`,
      description: [
        `By id or name. If several ${many} have the name, 409 lists their ids.`,
        notes.delete,
      ]
        .filter((sentence) => sentence !== undefined)
        .join(' '),
      responses: { 204: { description: 'Deleted' } },
    },
  ] as const satisfies readonly Operation[]
}
