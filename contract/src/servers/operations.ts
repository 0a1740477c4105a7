import { Type } from 'typebox'
import { EventList, eventListExample, eventPaging } from '../administration/events.ts'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject } from '../scalars.ts'
import { Server, ServerList } from '../server.ts'
import { serverExample, serverListExample } from './examples.ts'
import { MetadataChange, metadataExample, ServerMetadata } from './metadata.ts'
import { scopeOfOne, ServerListQuery, ServerStatisticsQuery } from './parameters.ts'
import { ServerStatistics, statisticsExample } from './statistics.ts'
import { ServerTimeline, ServerTimelineQuery, timelineExample } from './timeline.ts'

const common = { ...platformDefaults, cache: 'private', tag: 'Servers' } as const

const permission = <const Action extends 'list' | 'get' | 'update' | 'perform'>(action: Action) =>
  ({
    service: 'compute',
    resource: 'servers',
    action,
    at: ['system', 'domain', 'project'],
  }) as const

/** What is right for one caller must not be shown to another by a cache in between. */
const privateHeaders = {
  'Cache-Control': '`private, no-cache`: ask again, with `If-None-Match`',
  Vary: '`X-Auth-Token, Accept, Accept-Encoding`',
}
const cachedHeaders = { ...privateHeaders, ETag: 'Of the bytes of this answer' }

const unchanged = {
  description: 'Nothing has changed since the answer whose `ETag` you sent as `If-None-Match`',
  headers: cachedHeaders,
}

const metadataResponses = {
  200: {
    description: "All of the server's metadata, with the prefixes",
    body: ServerMetadata,
    headers: privateHeaders,
    example: metadataExample,
  },
} as const

const changeNotes =
  'A key without a prefix means `user:`; `ext:` is what the source says and `sys:` what Muster notes: neither can be changed. `null` removes a key.'

const named =
  'By its id, or by its name where you see but one server of that name: with more it is a 409 that lists their ids.'

const passes = (description: string) => Type.Optional(Type.Boolean({ description }))

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
      "Newest first, those of your token's project or domain; without those in the recycle bin. Any field is a filter: `status=running&status=ready&provider=Aws`: values of one are alternatives, different ones must all hold. Fields with a known set of values (`status`, `provider`, `os_type`, …) ignore case. A parameter that takes several values can be repeated or numbered (`status.0=…`). `total` counts all that match. For the next page follow `Link`: it stays quick however deep you go, and no server that stays as it is comes twice or is left out. With `Accept: text/csv` or `application/x-ndjson`, or `format`, all that match come as a stream, without paging. What Cloudpods' clients send is known too, and refused where Muster has nothing like it.",
    query: ServerListQuery,
    responses: {
      200: {
        description: 'A page of servers',
        body: ServerList,
        headers: { ...cachedHeaders, Link: 'The next page, where there is one: `rel="next"`' },
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
    summary: 'Count servers, by what you like',
    description:
      'How many servers match, with their cores, memory and disks in MB: in all, and for each value of what you group by, most servers first. The filters are those of the list. A group tells 100 values apart; where there are more, the rest is summed in one further entry, the last, with the value `other`.',
    query: ServerStatisticsQuery,
    responses: {
      200: {
        description: 'The sums',
        body: ServerStatistics,
        headers: privateHeaders,
        example: statisticsExample,
      },
    },
  },
  {
    id: 'getServerTimeline',
    method: 'GET',
    path: '/servers/timeline',
    ...common,
    permission: permission('list'),
    summary: 'Show how the fleet has grown',
    description:
      'How many servers there were day by day, with their cores, memory and disks in MB; without those in the recycle bin. Oldest first; today is as of now. Counted for each project and kept for 400 days: what a server was like before it came to another project stays with the first.',
    query: ServerTimelineQuery,
    responses: {
      200: {
        description: 'A point for each day',
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
    summary: 'Show a server',
    description: `All of its fields. ${named} It is looked for as far as you may see.`,
    query: exactObject({
      scope: scopeOfOne,
      details: passes('Of Cloudpods, and changes nothing: you always get all of it'),
      with_meta: passes('Of Cloudpods, and changes nothing: `metadata` is always there'),
      show_fail_reason: passes('Of Cloudpods, and changes nothing: the reasons are always there'),
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
    summary: "Show a server's tags",
    description:
      'Your own (`user:`), those of the source (`ext:`), and what Muster notes (`sys:`), as `metadata` of the server itself.',
    query: exactObject({ scope: scopeOfOne }),
    responses: metadataResponses,
  },
  {
    id: 'mergeServerMetadata',
    method: 'POST',
    path: '/servers/{id}/metadata',
    ...common,
    permission: permission('update'),
    summary: 'Tag a server',
    description: `Sets the tags that you name and leaves the others. ${changeNotes}`,
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
    summary: "Replace a server's tags",
    description: `Afterwards it has the tags that you name and no other \`user:\` ones. ${changeNotes}`,
    body: MetadataChange,
    example: { metadata: { env: 'prod' } },
    responses: metadataResponses,
  },
  {
    id: 'getServerHistory',
    method: 'GET',
    path: '/servers/{id}/history',
    ...common,
    permission: permission('get'),
    summary: 'Show what became of a server',
    description:
      'When it came, what changed, from what to what, and by whom: a person, or the account that saw it. Newest first. What happened while it belonged to others than you may see is not told.',
    query: exactObject({ ...eventPaging, scope: scopeOfOne }),
    responses: {
      200: {
        description: 'Its events',
        body: EventList,
        headers: { ...privateHeaders, Link: 'The next page, where there is one' },
        example: eventListExample,
      },
    },
  },
  {
    id: 'syncServer',
    method: 'POST',
    path: '/servers/{id}/syncstatus',
    ...common,
    permission: permission('perform'),
    summary: 'Look at a server now',
    description: `Asks its source how it is at this moment, instead of at the next sync. ${named}`,
    responses: {
      200: {
        description: 'As it is now',
        body: exactObject({ server: Server }),
        headers: privateHeaders,
        example: serverExample,
      },
      202: {
        description: 'It is being looked at: its source takes its time, or another process asks it',
        headers: privateHeaders,
      },
    },
  },
] as const satisfies readonly Operation[]
