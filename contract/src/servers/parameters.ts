import { Type, type Static } from 'typebox'
import { cloudpodsNote, ignoredListParameters } from '../paging.ts'
import { exactObject, sameType } from '../scalars.ts'
import {
  asOf,
  fieldParameters,
  maxQueryLength,
  pageParameters,
  scopeParameter,
  filterParameters,
  several,
  timestampFormats,
} from '../resources/list-operations.ts'
import { servers } from '../resources/servers.ts'
import { cloudpodsFilters, cloudpodsPaging } from './cloudpods-parameters.ts'
import { cloudpodsSchemas } from './cloudpods-schemas.ts'

const describedText = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }))

const describedFlag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** `deleted` selects deleted servers instead, so it is a parameter of its own. */
const { deleted: _, ...fieldFilters } = fieldParameters(servers)

const idOrName = several(Type.String({ maxLength: 255 }), 'Id or name, or several')

const TagSets = Type.Array(
  Type.Array(
    exactObject({
      key: Type.String({ minLength: 1, maxLength: 256 }),
      value: Type.Optional(Type.String({ maxLength: 1024 })),
    }),
    { maxItems: 100 },
  ),
  { maxItems: 100 },
)

const scope = scopeParameter(
  'Scope of the search. Default: the scope of your token. `max`: everything you can access.',
)

/** The filters by owner. */
export const narrowing = {
  project_id: fieldFilters.project_id,
  domain_id: fieldFilters.domain_id,
  scope,
}

/** The filters of lists, exports, statistics and feeds. */
export const serverFilter = {
  ...fieldFilters,
  ...sameType(
    ['project', 'tenant', 'host', 'zone', 'region', 'cloudregion', 'account', 'manager'],
    idOrName,
  ),
  ...filterParameters,
  q: describedText(
    maxQueryLength,
    'Search query: `status:running provider:Aws ip:10.4.0.0/16 tag:env=prod vcpu>=8 -project:demo web-7`. A comma means "or", a leading `-` "not". Words without a field are searched for.',
  ),
  search: describedText(
    256,
    'Text in name, id, addresses, MAC, host, description, external id or tags. One or two characters match only at the start of a word, an id or a MAC.',
  ),
  tags: several(
    Type.String({ minLength: 1, maxLength: 1281 }),
    '`key=value`, or `key` for any value. Several tags must all match. A key without a prefix means your tag (`user:`), or else the source tag (`ext:`).',
  ),
  ip: several(
    Type.String({ minLength: 1, maxLength: 64 }),
    'Address or range of addresses: `10.4.0.7`, `10.4.0.0/16`',
  ),
  network: several(
    Type.String({ minLength: 1, maxLength: 256 }),
    'Id of a network that a NIC is attached to',
  ),
  ...sameType(
    ['created_since', 'created_before', 'updated_since', 'updated_before'],
    Type.Optional(Type.String({ maxLength: 32, description: timestampFormats })),
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

/** Paging, sorting and format of a list. */
const page = {
  ...pageParameters,
  with_meta: describedFlag('Include `metadata`'),
  format: Type.Optional(
    Type.Enum(['json', 'csv', 'ndjson'], {
      description: '`csv` and `ndjson` return all matches, without paging',
    }),
  ),
  ...cloudpodsSchemas(cloudpodsPaging),
}

export const ServerListQuery = exactObject({ ...page, ...serverFilter, as_of: asOf })
export type ServerListQuery = Static<typeof ServerListQuery>

export const ServerStatisticsQuery = exactObject({
  group_by: several(
    Type.String({ minLength: 1, maxLength: 320 }),
    'Field, or `metadata.<key>` for a tag. Default: `status`.',
    16,
  ),
  ...ignoredListParameters,
  ...serverFilter,
  as_of: asOf,
})
export type ServerStatisticsQuery = Static<typeof ServerStatisticsQuery>

const onlyOrigin = (origin: string) => describedFlag(`Only tags with the prefix \`${origin}:\``)

/** The query of the tags of all servers, as Cloudpods' client sends it. */
export const TagPairsQuery = exactObject({
  scope,
  key_only: describedFlag('Count keys, not values'),
  user_meta: onlyOrigin('user'),
  cloud_meta: onlyOrigin('ext'),
  sys_meta: onlyOrigin('sys'),
  limit: pageParameters.limit,
  offset: pageParameters.offset,
  details: ignoredListParameters.details,
  summary_stats: ignoredListParameters.summary_stats,
})
export type TagPairsQuery = Static<typeof TagPairsQuery>
