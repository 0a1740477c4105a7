import { Type, type Static, type TSchema } from 'typebox'
import { cloudpodsNote, defaultPageSize, ignoredListParameters, maxPageSize } from '../paging.ts'
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

/** Can be repeated or numbered: `status.0=…&status.1=…`. */
const several = <Schema extends TSchema>(schema: Schema, description: string, most = mostValues) =>
  Type.Optional(Type.Array(schema, { maxItems: most, description }))

const describedText = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }))

const describedFlag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** The server checks the format. */
const timestampText = Type.String({ maxLength: 32, examples: ['2026-05-04T08:00:00Z'] })
const fieldName = Type.String({ minLength: 1, maxLength: 64 })

type OwnField<Name extends string> = Exclude<Name, CallerField | 'deleted'>

/** Without the fields that differ by caller, and without `deleted`, which is a parameter of its own. */
const shared = <const Name extends string>(names: readonly Name[]) =>
  names.filter(
    (name) => name !== 'deleted' && !(callerFields as readonly string[]).includes(name),
  ) as OwnField<Name>[]

const timestampFormatHelp = 'UTC: `2026-05-04T08:00:00Z`, `2026-05-04 08:00:00` or `2026-05-04`'

const fieldFilters = {
  ...sameType(shared(serverBooleans), several(Type.Boolean(), 'Exact value')),
  ...sameType(
    shared(serverTimestamps),
    several(timestampText, `Exact time. ${timestampFormatHelp}`),
  ),
  ...sameType(shared(serverNumbers), several(Type.Integer(), 'Exact value, or one of several')),
  ...sameType(
    shared(serverTexts),
    several(Type.String({ maxLength: 1024 }), 'Exact value, or one of several'),
  ),
}

const idOrName = several(Type.String({ maxLength: 255 }), 'Id or name, or several')

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
    description:
      'Scope of the search. Default: the scope of your token. `max`: everything you can access.',
  }),
)

/** The scope in which one server is looked up. */
export const scopeOfOne = Type.Optional(
  Type.Enum([...serverScopes], {
    description: 'Scope of the lookup. Default: everything you can access.',
  }),
)

/** The filters by owner. */
export const narrowing = {
  project_id: fieldFilters.project_id,
  domain_id: fieldFilters.domain_id,
  scope,
}

/** Maximum length of `q`. */
export const maxQueryLength = 2048

/** The filters of lists, exports and statistics. */
const selection = {
  ...fieldFilters,
  ...sameType(
    ['project', 'tenant', 'host', 'zone', 'region', 'cloudregion', 'account', 'manager'],
    idOrName,
  ),
  filter: several(
    Type.String({ maxLength: 8192 }),
    "`name.contains('web')`, with `in notin between ge gt le lt like contains startswith endswith equals notequals isnull isnotnull isempty isnotempty isnullorempty`. Several filters must all match.",
  ),
  filter_any: describedFlag('One matching `filter` is enough'),
  q: describedText(
    maxQueryLength,
    'Search query: `status:running provider:Aws ip:10.4.0.0/16 tag:env=prod vcpu>=8 -project:demo web-7`. A comma means "or", a leading `-` "not". Words without a field are searched for.',
  ),
  search: describedText(
    256,
    'Text in name, id, addresses, MAC, host, description, external id or tags. One or two characters match only at the start of a word.',
  ),
  tags: several(
    Type.String({ minLength: 1, maxLength: 1281 }),
    '`key=value`, or `key` for any value. Several tags must all match. A key without a prefix means your tag (`user:`), or else the source tag (`ext:`).',
  ),
  ip: several(
    Type.String({ minLength: 1, maxLength: 64 }),
    'Address or network: `10.4.0.7`, `10.4.0.0/16`',
  ),
  ...sameType(
    ['created_since', 'created_before', 'updated_since', 'updated_before'],
    Type.Optional(Type.String({ maxLength: 32, description: timestampFormatHelp })),
  ),
  scope,
  pending_delete: Type.Optional(
    Type.Enum(['true', 'false', 'all', '1', '0'], {
      description:
        '`true`: only servers in the recycle bin. `all`: also servers in the recycle bin. Default: `false`.',
    }),
  ),
  deleted: describedFlag('`true`: deleted servers, while they are stored'),
  obj_tags: Type.Optional({
    ...TagSets,
    description: cloudpodsNote,
  }),
  no_obj_tags: Type.Optional({
    ...TagSets,
    description: cloudpodsNote,
  }),
  ...cloudpodsSchemas(cloudpodsFilters),
}

/** Maximum number of sort fields. */
export const maxSortFields = 16

/** Paging, sorting and format of a list. */
const page = {
  details: describedFlag('Return all fields. Default: a short form.'),
  with_meta: describedFlag('Include `metadata`'),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: `Page size. Default: ${defaultPageSize}, maximum: ${maxPageSize}.`,
    }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Number of servers to skip. Default: 0.' }),
  ),
  marker: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Start of the next page, from the `Link` header. The query must stay the same.',
    }),
  ),
  order_by: several(fieldName, 'Sort field. Default: `created_at`.', maxSortFields),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Sort order. Default: `desc`.' })),
  field: several(fieldName, 'Return only these fields'),
  format: Type.Optional(
    Type.Enum(['json', 'csv', 'ndjson'], {
      description: '`csv` and `ndjson` return all matches, without paging',
    }),
  ),
  ...cloudpodsSchemas(cloudpodsPaging),
}

export const ServerListQuery = exactObject({ ...page, ...selection })
export type ServerListQuery = Static<typeof ServerListQuery>

export const ServerStatisticsQuery = exactObject({
  group_by: several(
    Type.String({ minLength: 1, maxLength: 320 }),
    'Field, or `metadata.<key>` for a tag. Default: `status`.',
    16,
  ),
  ...ignoredListParameters,
  ...selection,
})
export type ServerStatisticsQuery = Static<typeof ServerStatisticsQuery>
