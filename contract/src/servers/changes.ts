import { Type, type Static } from 'typebox'
import { defaultPageSize, maxPageSize } from '../paging.ts'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { several } from '../resources/list-operations.ts'
import { exactObject, OptionalTimestamp, Timestamp, TimeZone } from '../scalars.ts'
import { momentParameter } from './moment-parameter.ts'
import { serverFilter } from './parameters.ts'

/** What a change of a server is about. Stored as bits in this order, so kinds are only appended. */
export const changeKinds = [
  'appeared',
  'gone',
  'returned',
  'status',
  'size',
  'address',
  'moved',
  'renamed',
  'tag',
  'disk',
  'security',
  'check',
  'other',
] as const
export type ChangeKind = (typeof changeKinds)[number]

export const BeforeAndAfter = Type.Unsafe<[unknown, unknown]>(
  Type.Array(Type.Unknown(), { minItems: 2, maxItems: 2 }),
)

export const ServerChange = exactObject({
  id: Type.String({ description: 'Position of the change. Ids are opaque.' }),
  time: { ...Timestamp, description: 'When Muster stored the change' },
  source_time: {
    ...OptionalTimestamp,
    description: "The source's own time of the change, if it gave one",
  },
  not_observed_since: {
    ...OptionalTimestamp,
    description:
      'Set if Muster found the change after a gap in which it did not observe the account: it happened between this time and `time`',
  },
  kinds: Type.Array(Type.Enum([...changeKinds]), {
    description:
      '`appeared` and `gone` also tell that the server came into, or left, what you can access.',
  }),
  server_id: Type.String(),
  server_name: Type.String({ description: 'Name at that time' }),
  project_id: Type.String({ description: 'Project after the change' }),
  domain_id: Type.String({ description: 'Domain after the change' }),
  account_id: Type.String({ description: 'Cloud account after the change' }),
  account: Type.String({ description: 'Name of the cloud account at that time' }),
  task_id: Type.String({ description: 'The task that caused the change; otherwise empty' }),
  request_id: Type.String({ description: 'The request that caused the change; otherwise empty' }),
  changes: Type.Record(Type.String(), BeforeAndAfter, {
    description: 'Changed fields and tags, each as `[before, after]`',
  }),
  is_partial: Type.Boolean({
    description:
      'Whether the change is from before an upgrade: only differences of the most important fields are known',
  }),
})
export type ServerChange = Static<typeof ServerChange>

/** Times are parameters of changes, and states are kinds of change. */
const { pending_delete: _, deleted: __, ...filter } = serverFilter
export { filter as versionFilter }

/** The filters of every operation on changes. */
export const serverChangeFilter = {
  ...filter,
  since: momentParameter('Changes at this time or later'),
  until: momentParameter('Changes before this time'),
  kind: several(Type.Enum([...changeKinds]), 'Kind of change, or one of several'),
  changed: several(
    Type.String({ minLength: 1, maxLength: 320 }),
    'Changed field or tag, such as `status` or `user:env`, or one of several',
  ),
  new_status: several(
    Type.String({ minLength: 1, maxLength: 64 }),
    'Changes to this status, or to one of several: with `kind=status`, `ready` finds servers that stopped',
  ),
}
const ServerChangeFilter = exactObject(serverChangeFilter)
export type ServerChangeFilter = Static<typeof ServerChangeFilter>

export const ServerChangesQuery = exactObject({
  ...serverChangeFilter,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Page size. Default: ${defaultPageSize}, maximum: ${maxPageSize}.`,
    }),
  ),
  marker: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'Start of the next page, from the `Link` header, or the `id` of a change',
    }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Changes after this `position`, in the order in which they were committed. `start`: from the oldest change on. `now`: from now on. Not with `since`, `until`, `marker`, `order` or `format`.',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60,
      description:
        'With `after`: if there is no change, waits for one for so many seconds. Default: 0.',
    }),
  ),
  format: Type.Optional(
    Type.Enum(['json', 'csv', 'ndjson'], {
      description: '`csv` and `ndjson` return all matches, without paging',
    }),
  ),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], { description: 'By time. Default: `desc`, the newest first.' }),
  ),
})
export type ServerChangesQuery = Static<typeof ServerChangesQuery>

/** By what changes are counted. */
export const changeGroups = ['kind', 'day', 'hour', 'project', 'account', 'field'] as const
export type ChangeGroup = (typeof changeGroups)[number]

export const ServerChangeStatisticsQuery = exactObject({
  ...serverChangeFilter,
  group_by: several(
    Type.Enum([...changeGroups]),
    'One or two of these. Default: `kind`. A change of several kinds or fields counts for each.',
    2,
  ),
  time_zone: TimeZone,
})
export type ServerChangeStatisticsQuery = Static<typeof ServerChangeStatisticsQuery>

export const ServerChangeStatistics = exactObject({
  total: Type.Integer({ minimum: 0, description: 'Number of changes' }),
  groups: Type.Array(
    exactObject({
      values: Type.Record(Type.String(), Type.String(), {
        description:
          'The value for each of `group_by`: ids of projects and accounts, `2026-05-04` for a day, `2026-05-04T08:00+02:00` for an hour',
      }),
      count: Type.Integer({ minimum: 1 }),
    }),
    { description: 'In the order of their values' },
  ),
  is_complete: Type.Boolean({
    description: 'Whether all changes were counted. If not, give a later `since`.',
  }),
  counted_since: {
    ...OptionalTimestamp,
    description: 'If not all were counted: the time of the oldest change that was',
  },
})
export type ServerChangeStatistics = Static<typeof ServerChangeStatistics>

export const ServerChangeList = exactObject({
  changes: Type.Array(ServerChange),
  limit: Type.Integer(),
  position: Type.Optional(
    Type.String({
      description: 'With `after`: the `after` of the next request. Opaque.',
    }),
  ),
})

const statisticsExample: ServerChangeStatistics = {
  total: 3,
  groups: [
    { values: { day: '2026-05-03', kind: 'status' }, count: 1 },
    { values: { day: '2026-05-04', kind: 'status' }, count: 2 },
  ],
  is_complete: true,
  counted_since: null,
}

const permission = {
  service: 'compute',
  resource: 'servers',
  action: 'list',
  at: ['system', 'domain', 'project'],
} as const

const example: ServerChange = {
  id: 'WzE3Nzc4ODE2MDAwMDAsIjVkNmU3ZjgwLTkxMDItNGEzYi04YzRkLTVlNmY3MDgxOTIwMyJd',
  time: '2026-05-04T08:00:00.000000Z',
  source_time: null,
  not_observed_since: null,
  kinds: ['status'],
  server_id: '5d6e7f80-9102-4a3b-8c4d-5e6f70819203',
  server_name: 'web-7',
  project_id: '1f0c7b7e6d5a4f3e8c2b1a0987654321',
  domain_id: 'default',
  account_id: '8a6d0f3e5c4b4a2d9e1f7c6b5a493827',
  account: 'research-aws',
  task_id: '',
  request_id: '',
  changes: { status: ['running', 'ready'] },
  is_partial: false,
}

const redactionExample = { field: 'user:note', value: 'hunter2-hunter2' }

const Redaction = exactObject({
  field: Type.String({
    minLength: 1,
    maxLength: 320,
    description: 'A tag, such as `user:note`, or `name` or `description`',
  }),
  value: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: 'The text to remove, wherever it occurs in the field',
  }),
})

const Redacted = exactObject({
  changes: Type.Integer({ description: 'How many stored changes had the text' }),
  events: Type.Integer({ description: 'How many events of the audit log had the text' }),
})

export const serverChangeOperations = [
  {
    id: 'getServerChanges',
    method: 'GET',
    path: '/servers/changes',
    ...platformDefaults,
    tag: 'Servers',
    permission,
    summary: 'List changes of servers',
    description:
      'What changed, newest first: servers that appeared, were gone or returned, and each changed field with its values before and after. All filters of `/servers` work; a change is listed if the server matched before or after it. You see changes of servers that were in your scope before or after. Values that a server had outside your scope are left out: it appears when it comes, and is gone when it leaves. With a rare filter a page can have fewer changes than its limit: follow the `Link` header until there is none. `Accept: text/csv` or `application/x-ndjson`, or `format`, streams all matches without paging. With `after`, it is a feed for programs: each change once, in the order in which changes were committed. Store the `position` of the response, and give it as `after` next time. At most 10 requests of a user may `wait`. A position that is older than the stored history is a 400.',
    query: ServerChangesQuery,
    responses: {
      200: {
        description: 'Changes of servers that you can access',
        body: ServerChangeList,
        headers: { Link: 'The next page, if there is one' },
        example: { changes: [example], limit: defaultPageSize },
      },
    },
  },
  {
    id: 'redactServerHistory',
    method: 'POST',
    path: '/servers/{id}/redact-history',
    ...platformDefaults,
    tag: 'Servers',
    permission: { service: 'identity', resource: 'events', action: 'delete', at: ['system'] },
    summary: 'Redact the history of a server',
    description:
      'Replaces a text, such as a password in a tag, with `[redacted]` in all stored changes of the server and in the audit log. `id` must be an id, also of a server that is gone. 409 while the server has the text: change it first. The audit log tells who redacted which field. Backups, and what was exported or delivered before, keep the text.',
    body: exactObject({ redaction: Redaction }),
    example: { redaction: redactionExample },
    responses: {
      200: {
        description: 'What was redacted. Nothing had the text if both numbers are 0.',
        body: exactObject({ redaction: Redacted }),
        example: { redaction: { changes: 2, events: 1 } },
      },
    },
  },
  {
    id: 'getServerChangeStatistics',
    method: 'GET',
    path: '/servers/changes/statistics',
    ...platformDefaults,
    tag: 'Servers',
    permission,
    summary: 'Count changes of servers',
    description:
      'Counts the changes that `/servers/changes` lists with the same filters, grouped by one or two of kind, day, hour, project, account and field. `appeared` and `gone` also count servers that came into your scope, or left it. The newest changes are counted first; `is_complete` tells whether all were.',
    query: ServerChangeStatisticsQuery,
    responses: {
      200: {
        description: 'Counts of changes that you can access',
        body: ServerChangeStatistics,
        example: statisticsExample,
      },
    },
  },
] as const satisfies readonly Operation[]
