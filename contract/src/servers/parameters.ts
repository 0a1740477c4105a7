import { Type, type Static, type TSchema } from 'typebox'
import { defaultPageSize, ignoredListParameters, maxPageSize } from '../paging.ts'
import { exactObject, sameType } from '../scalars.ts'
import {
  callerFields,
  serverBooleans,
  serverTimestamps,
  serverNumbers,
  serverTexts,
  type CallerField,
} from '../server.ts'
import { cloudpodsFilters, cloudpodsPaging } from './cloudpods-parameters.ts'
import { cloudpodsSchemas } from './cloudpods-schemas.ts'

const mostValues = 100

/** May be given several times, or numbered: `status.0=…&status.1=…`. */
const several = <Schema extends TSchema>(schema: Schema, description: string, most = mostValues) =>
  Type.Optional(Type.Array(schema, { maxItems: most, description }))

const describedText = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }))

const describedFlag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** What is read as a moment; which texts are one, the server says. */
const timestampText = Type.String({ maxLength: 32, examples: ['2026-05-04T08:00:00Z'] })
const fieldName = Type.String({ minLength: 1, maxLength: 64 })

type OwnField<Name extends string> = Exclude<Name, CallerField | 'deleted'>

/** Those that are the same for everyone. `deleted` says which servers are looked at, apart. */
const shared = <const Name extends string>(names: readonly Name[]) =>
  names.filter(
    (name) => name !== 'deleted' && !(callerFields as readonly string[]).includes(name),
  ) as OwnField<Name>[]

const timestampFormatHelp = 'UTC, as `2026-05-04T08:00:00Z`, `2026-05-04 08:00:00` or `2026-05-04`'

const fieldFilters = {
  ...sameType(shared(serverBooleans), several(Type.Boolean(), 'Exactly this')),
  ...sameType(
    shared(serverTimestamps),
    several(timestampText, `Exactly this moment: ${timestampFormatHelp}`),
  ),
  ...sameType(shared(serverNumbers), several(Type.Integer(), 'Exactly this, or one of these')),
  ...sameType(
    shared(serverTexts),
    several(Type.String({ maxLength: 1024 }), 'Exactly this, or one of these'),
  ),
}

const idOrName = several(Type.String({ maxLength: 255 }), 'An id or a name, or several')

const TagSets = Type.Array(
  Type.Array(
    exactObject({
      key: Type.String({ minLength: 1, maxLength: 256 }),
      value: Type.Optional(Type.String({ maxLength: 1024 })),
    }),
    { maxItems: mostValues },
  ),
  { maxItems: mostValues },
)

export const serverScopes = ['project', 'domain', 'system', 'max'] as const

const scope = Type.Optional(
  Type.Enum([...serverScopes], {
    description: 'How far to look: as far as your token is for, unless you may see more',
  }),
)

/** How far to look for one server. */
export const scopeOfOne = Type.Optional(
  Type.Enum([...serverScopes], {
    description: 'Where to look for it. Default: everywhere you have access',
  }),
)

/** Whose servers, and nothing else of them. */
export const narrowing = {
  project_id: fieldFilters.project_id,
  domain_id: fieldFilters.domain_id,
  scope,
}

/** How long `q` may be. */
export const longestQ = 2048

/** The parameters that say which servers: of lists, exports and statistics alike. */
const selection = {
  ...fieldFilters,
  ...sameType(
    ['project', 'tenant', 'host', 'zone', 'region', 'cloudregion', 'account', 'manager'],
    idOrName,
  ),
  filter: several(
    Type.String({ maxLength: 8192 }),
    "`name.contains('web')`, with `in notin between ge gt le lt like contains startswith endswith equals notequals isnull isnotnull isempty isnotempty isnullorempty`. Several: all of them must hold",
  ),
  filter_any: describedFlag('One of the `filter`s is enough'),
  q: describedText(
    longestQ,
    'All of it in one line: `status:running provider:Aws ip:10.4.0.0/16 tag:env=prod vcpu>=8 -project:demo web-7`. A comma is "or", a leading `-` "not"; what names no field is searched for',
  ),
  search: describedText(
    256,
    'Somewhere in name, id, addresses, MAC, host, description, external id or a tag. Of one or two characters: where a word begins',
  ),
  tags: several(
    Type.String({ minLength: 1, maxLength: 1281 }),
    '`key=value`, or `key` for whatever value. Several: all of them. A key without a prefix is your own tag, or else the tag of the source',
  ),
  ip: several(
    Type.String({ minLength: 1, maxLength: 64 }),
    'An address or a network: `10.4.0.0/16`',
  ),
  ...sameType(
    ['created_since', 'created_before', 'updated_since', 'updated_before'],
    Type.Optional(Type.String({ maxLength: 32, description: timestampFormatHelp })),
  ),
  scope,
  pending_delete: Type.Optional(
    Type.Enum(['true', 'false', 'all', '1', '0'], {
      description: '`true`: those in the recycle bin; `all`: these too',
    }),
  ),
  deleted: describedFlag('`true`: those that are gone, as long as they are kept'),
  obj_tags: Type.Optional({
    ...TagSets,
    description:
      'The tags of the original: `obj_tags.0.0.key=env&obj_tags.0.0.value=prod`. All of one first number, or all of another',
  }),
  no_obj_tags: Type.Optional({
    ...TagSets,
    description: 'Likewise, for those that do not have such tags',
  }),
  ...cloudpodsSchemas(cloudpodsFilters),
}

/** By how many fields a list is sorted at most. */
export const mostSortFields = 16

/** The parameters that say which part of a list, and what of each server. */
const page = {
  details: describedFlag('The full object instead of the short one'),
  with_meta: describedFlag('With `metadata`'),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: `How many at most: ${defaultPageSize} unless you say, ${maxPageSize} at the most`,
    }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'How many to leave out' })),
  marker: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Where to go on: from the `Link` to the next page, with the same query',
    }),
  ),
  order_by: several(fieldName, 'A field to sort by: `created_at` unless you say', mostSortFields),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: '`desc` unless you say' })),
  field: several(fieldName, 'Only this key of each server, or these'),
  format: Type.Optional(
    Type.Enum(['json', 'csv', 'ndjson'], {
      description: '`csv` and `ndjson` are all that match, whatever the limit',
    }),
  ),
  ...cloudpodsSchemas(cloudpodsPaging),
}

export const ServerListQuery = exactObject({ ...page, ...selection })
export type ServerListQuery = Static<typeof ServerListQuery>

export const ServerStatisticsQuery = exactObject({
  group_by: several(
    Type.String({ minLength: 1, maxLength: 320 }),
    'A field, or `metadata.<key>` for a tag: `status` unless you say',
    16,
  ),
  ...ignoredListParameters,
  ...selection,
})
export type ServerStatisticsQuery = Static<typeof ServerStatisticsQuery>
