import { Type, type TObject, type TProperties, type TSchema } from 'typebox'
import { identityDefaults } from './operation-defaults.ts'
import type { Level, Operation } from './operation.ts'
import { clientParameters, maxPageSize, offsetParameter } from './paging.ts'
import { exactObject } from './scalars.ts'

const text = Type.String()

/** Links between the pages of a list. */
export const Links = exactObject({
  self: text,
  next: Type.Union([text, Type.Null()]),
  previous: Type.Union([text, Type.Null()]),
})

/** The address of the resource itself. */
export const SelfLink = exactObject({ self: text })

/** Paging parameters of every list under `/v3`. */
const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Page size. Default and maximum: ${maxPageSize}.`,
    }),
  ),
  marker: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Start after this item: the marker in `links.next`, or the id of the last item',
    }),
  ),
  offset: offsetParameter,
  sort_dir: Type.Optional(Type.Enum(['asc', 'desc'])),
  ...clientParameters,
}

/** The query parameters of a list: its filters, sort keys and paging. */
export const listQuery = <const Key extends string, Filters extends TProperties>(
  sortKeys: readonly Key[],
  filters: Filters,
) => exactObject({ ...filters, sort_key: Type.Optional(Type.Enum([...sortKeys])), ...paging })

/** The body of a list. */
export const listBody = <const Key extends string, View extends TSchema>(key: Key, view: View) =>
  exactObject({ ...keyed(key, Type.Array(view)), links: Links })

const keyed = <const Key extends string, Schema>(key: Key, schema: Schema) =>
  ({ [key]: schema }) as Record<Key, Schema>

interface Description<
  Noun extends string,
  Nouns extends string,
  Key extends string,
  Keys extends string,
  View extends TSchema,
  New extends TSchema,
  Changes extends TSchema,
  Query extends TObject,
  Made extends TSchema,
> {
  /** As in `createUser`, and as in `listUsers`. */
  readonly noun: Noun
  readonly nouns: Nouns
  /** As on the wire: `{"user": …}`, and `/v3/users`. */
  readonly key: Key
  readonly keys: Keys
  /** As in a sentence: "a user", "users". */
  readonly one: string
  readonly many: string
  readonly tag: string
  readonly view: View
  /** The response of the create operation, if it contains more, such as a secret. */
  readonly made?: Made
  readonly create: New
  readonly update: Changes
  readonly query: Query
  readonly at: { readonly read: readonly Level[]; readonly write: readonly Level[] }
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
  const Noun extends string,
  const Nouns extends string,
  const Key extends string,
  const Keys extends string,
  View extends TSchema,
  New extends TSchema,
  Changes extends TSchema,
  Query extends TObject,
  Made extends TSchema = View,
>(description: Description<Noun, Nouns, Key, Keys, View, New, Changes, Query, Made>) {
  const { noun, nouns, key, keys, one, many, tag, at, notes = {}, examples } = description
  const collection = `/v3/${keys}` as const
  const item = `/v3/${keys}/{id}` as const
  const body = exactObject(keyed(key, description.view))
  const example = { [key]: examples.view }
  const made = {
    body: exactObject(keyed(key, (description.made ?? description.view) as Made)),
    example: { [key]: examples.made ?? examples.view },
  }
  const common = { ...identityDefaults, tag } as const
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
      query: description.query,
      responses: {
        200: {
          description: `${many.charAt(0).toUpperCase()}${many.slice(1)} that you can access`,
          body: listBody(keys, description.view),
          example: {
            [keys]: [examples.view],
            links: { self: `http://127.0.0.1:8400${collection}`, next: null, previous: null },
          },
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
      query: exactObject({
        domain_id: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 64,
            description: '404 unless it is in this domain. For Keystone clients.',
          }),
        ),
      }),
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
      ...note(notes.delete),
      responses: { 204: { description: 'Deleted' } },
    },
  ] as const satisfies readonly Operation[]
}
