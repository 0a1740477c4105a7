import { Type } from 'typebox'
import { EventList, eventListExample, eventListQuery } from '../administration/events.ts'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { cloudpodsNote } from '../paging.ts'
import { exactObject } from '../scalars.ts'
import { asOf, asOfHeader, listBody, scopeOfOne } from '../resources/list-operations.ts'
import { Server } from '../resources/servers.ts'
import { serverExample, serverListExample } from './examples.ts'
import {
  CloudpodsMetadataChange,
  MetadataChange,
  metadataExample,
  ServerMetadata,
} from './metadata.ts'
import { ServerListQuery, ServerStatisticsQuery, TagPairsQuery } from './parameters.ts'
import { ServerStatistics, statisticsExample, TagPairs, tagPairsExample } from './statistics.ts'
import { ServerTimeline, ServerTimelineQuery, timelineExample } from './timeline.ts'

/** Lists contain `metadata` only with `with_meta`. */
export const ServerList = listBody('servers', Type.Partial(Server, { additionalProperties: false }))

const common = { ...platformDefaults, tag: 'Servers' } as const

const permission = <const Action extends 'list' | 'get' | 'update' | 'perform.syncstatus'>(
  action: Action,
) =>
  ({
    service: 'compute',
    resource: 'servers',
    action,
    at: ['system', 'domain', 'project'],
  }) as const

/** A cache in between must not serve one caller's response to another. */
const privateHeaders = {
  'Cache-Control': '`private, no-cache`: revalidate with `If-None-Match`',
  Vary: '`X-Auth-Token, Accept, Accept-Encoding`',
}
const cachedHeaders = {
  ...privateHeaders,
  ETag: 'ETag of the response body',
  ...asOfHeader,
}

const unchanged = {
  description: 'Not modified since the `ETag` in `If-None-Match`',
  headers: cachedHeaders,
}

const metadataResponses = {
  200: {
    description: 'All metadata of the server, with prefixes',
    body: ServerMetadata,
    headers: privateHeaders,
    example: metadataExample,
  },
} as const

const changeNotes =
  'A key without a prefix gets the prefix `user:`. `ext:` (source tags) and `sys:` (set by Muster) are read-only. `null` removes a key.'

const named = 'By id or name. If several servers have the name, 409 lists their ids.'

const cloudpodsFlag = Type.Optional(Type.Boolean({ description: cloudpodsNote }))

/** The operations on servers. */
export const serverOperations = [
  {
    id: 'listServers',
    method: 'GET',
    path: '/servers',
    ...common,
    permission: permission('list'),
    summary: 'List servers',
    description:
      "Lists the servers of your token's project or domain, newest first, without the recycle bin. Every field is a filter: `status=running&status=ready&provider=Aws`. Values of one field are alternatives; different fields must all match. Fields with a fixed set of values, such as `status` and `provider`, ignore case. To give several values, repeat the parameter or number it (`status.0=…`). `total` is the number of all matches. For the next page follow the `Link` header: it is fast at any depth, and no unchanged server is repeated or skipped. `Accept: text/csv` or `application/x-ndjson`, or `format`, streams all matches without paging.",
    query: ServerListQuery,
    responses: {
      200: {
        description: 'A page of servers',
        body: ServerList,
        headers: { ...cachedHeaders, Link: 'The next page, if there is one: `rel="next"`' },
        example: serverListExample,
      },
      304: unchanged,
    },
  },
  {
    id: 'getServerStatistics',
    method: 'GET',
    path: '/servers/statistics',
    ...common,
    permission: permission('list'),
    summary: 'Get server statistics',
    description:
      'Number of servers and sums of vCPUs, memory and disk (MB), in total and for each value of `group_by`, largest group first. Takes the filters of the list. A group has at most 100 values. Further values are summed up in a last entry with the value `other`.',
    query: ServerStatisticsQuery,
    responses: {
      200: {
        description: 'Statistics',
        body: ServerStatistics,
        headers: privateHeaders,
        example: statisticsExample,
      },
    },
  },
  {
    id: 'getTagPairs',
    method: 'GET',
    path: '/servers/tag-value-pairs',
    ...common,
    permission: permission('list'),
    summary: 'Count tags',
    description:
      "Keys and values of the tags of your servers, most frequent first. For Cloudpods' client. Servers in the recycle bin are not counted.",
    query: TagPairsQuery,
    responses: {
      200: {
        description: 'Tags',
        body: TagPairs,
        headers: privateHeaders,
        example: tagPairsExample,
      },
    },
  },
  {
    id: 'getServerTimeline',
    method: 'GET',
    path: '/servers/timeline',
    ...common,
    permission: permission('list'),
    summary: 'Get the server timeline',
    description:
      'Number of servers per day with sums of vCPUs, memory and disk (MB), oldest first. The last point is the current state. Servers in the recycle bin are not counted. Muster stores 400 days per project. A server that moved to another project stays in the history of its former project.',
    query: ServerTimelineQuery,
    responses: {
      200: {
        description: 'One point per day',
        body: ServerTimeline,
        headers: privateHeaders,
        example: timelineExample,
      },
    },
  },
  {
    id: 'getServer',
    method: 'GET',
    path: '/servers/{id}',
    ...common,
    permission: permission('get'),
    summary: 'Get a server',
    description: `All fields. ${named} Default scope: everything you can access.`,
    query: exactObject({
      scope: scopeOfOne,
      as_of: asOf,
      details: cloudpodsFlag,
      with_meta: cloudpodsFlag,
      show_fail_reason: cloudpodsFlag,
    }),
    responses: {
      200: {
        description: 'The server',
        body: exactObject({ server: Server }),
        headers: cachedHeaders,
        example: serverExample,
      },
      304: unchanged,
    },
  },
  {
    id: 'getServerMetadata',
    method: 'GET',
    path: '/servers/{id}/metadata',
    ...common,
    permission: permission('get'),
    summary: 'Get the metadata of a server',
    description: 'Your tags (`user:`), source tags (`ext:`) and tags that Muster sets (`sys:`).',
    query: exactObject({ scope: scopeOfOne }),
    responses: metadataResponses,
  },
  {
    id: 'mergeServerMetadata',
    method: 'POST',
    path: '/servers/{id}/metadata',
    ...common,
    permission: permission('update'),
    summary: 'Update the metadata of a server',
    description: `Sets the given tags and keeps the others. ${changeNotes}`,
    body: MetadataChange,
    example: { metadata: { env: 'prod', retired: null } },
    responses: metadataResponses,
  },
  {
    id: 'replaceServerMetadata',
    method: 'PUT',
    path: '/servers/{id}/metadata',
    ...common,
    permission: permission('update'),
    summary: 'Replace the metadata of a server',
    description: `Sets the given tags and removes all other \`user:\` tags. ${changeNotes}`,
    body: MetadataChange,
    example: { metadata: { env: 'prod' } },
    responses: metadataResponses,
  },
  {
    id: 'addUserMetadata',
    method: 'POST',
    path: '/servers/{id}/user-metadata',
    ...common,
    permission: permission('update'),
    summary: "Update the metadata of a server from Cloudpods' client",
    description: `The same as \`POST /servers/{id}/metadata\`. ${changeNotes}`,
    body: CloudpodsMetadataChange,
    example: { server: { env: 'prod' } },
    responses: metadataResponses,
  },
  {
    id: 'setUserMetadata',
    method: 'POST',
    path: '/servers/{id}/set-user-metadata',
    ...common,
    permission: permission('update'),
    summary: "Replace the metadata of a server from Cloudpods' client",
    description: `The same as \`PUT /servers/{id}/metadata\`. ${changeNotes}`,
    body: CloudpodsMetadataChange,
    example: { server: { env: 'prod' } },
    responses: metadataResponses,
  },
  {
    id: 'getServerHistory',
    method: 'GET',
    path: '/servers/{id}/history',
    ...common,
    permission: permission('get'),
    summary: 'Get the history of a server',
    description:
      'Changes of the server, newest first: what changed, from which value to which, and by which user or cloud account. Changes from the time when it belonged to a project that you cannot access are omitted.',
    query: eventListQuery(scopeOfOne),
    responses: {
      200: {
        description: 'Events of the server',
        body: EventList,
        headers: { ...privateHeaders, Link: 'The next page, if there is one' },
        example: eventListExample,
      },
    },
  },
  {
    id: 'syncServer',
    method: 'POST',
    path: '/servers/{id}/syncstatus',
    ...common,
    permission: permission('perform.syncstatus'),
    summary: 'Sync a server now',
    description: `Reads the server from its source now instead of with the next sync. ${named}`,
    responses: {
      200: {
        description: 'The updated server',
        body: exactObject({ server: Server }),
        headers: privateHeaders,
        example: serverExample,
      },
      202: {
        description:
          'The sync is running. The source is slow, or another process reads the server.',
        headers: privateHeaders,
      },
    },
  },
] as const satisfies readonly Operation[]
