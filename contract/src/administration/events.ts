import { Type, type Static, type TArray, type TSchema, type TUnsafe } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation, ProcessRole } from '../operation.ts'
import { cloudpodsNote, defaultPageSize, maxPageSize } from '../paging.ts'
import {
  completeListQuery,
  narrowingScope,
  selected,
  several,
  typedAs,
} from '../resources/list-operations.ts'
import {
  enumeration,
  filterable,
  knownTimestamp,
  object,
  text,
  timestamp,
  wireProperties,
  wireSchema,
  type Resource,
} from '../resources/resource.ts'
import { exactObject, OptionalTimestamp, sameType, TimeZone, TimestampInput } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'

export const eventResults = ['success', 'failure', 'denied'] as const
export const eventRecords = ['event', 'change'] as const

/** Not `Type.Tuple`: its array of `items` is not allowed in OpenAPI 3.1. */
const BeforeAndAfter = Type.Unsafe<[unknown, unknown]>(
  Type.Array(Type.Unknown(), { minItems: 2, maxItems: 2 }),
)

const exactOnly = ['filter'] as const
const exactOrSearched = ['filter', 'search'] as const

/** Sorted by time only: the audit log is too large to sort by anything without an index. */
export const events = {
  key: 'event',
  keys: 'events',
  noun: 'Event',
  nouns: 'Events',
  one: 'an event',
  many: 'events',
  fields: {
    id: text('Id. Ids sort by time.', filterable),
    time: knownTimestamp('When it happened', filterable),
    action: text('Such as `login`, `create` or `update`', exactOnly),
    target_type: text('Type of the target, such as `project`', exactOnly),
    target_id: text('Id of the target', exactOrSearched),
    target_name: text('Name of the target at that time', exactOrSearched),
    user_id: text('Id of the user', exactOrSearched),
    user: text('Name of the user at that time', exactOrSearched),
    project_id: text('Id of the project of the target', exactOnly),
    domain_id: text('Id of the domain of the target', exactOnly),
    ip: text('Address of the client', exactOrSearched),
    request_id: text('Id of the request', exactOrSearched),
    result: {
      ...enumeration('`success`, `failure` or `denied`', exactOnly),
      schema: Type.Enum([...eventResults]),
    },
    changes: object(
      'Changed fields, each as `[before, after]`. Secrets are never included.',
      Type.Record(Type.String(), BeforeAndAfter),
      {},
    ),
    record: {
      ...enumeration(
        '`event`: what somebody did through Muster. `change`: what a source showed of a server',
        exactOnly,
      ),
      schema: Type.Enum([...eventRecords]),
    },
    not_observed_since: timestamp(
      'Of a change that Muster found after a gap in which it did not observe the account: it happened between this time and `time`',
      [],
    ),
  },
} as const satisfies Resource

export const EventDto = wireSchema(events)
export type EventDto = Static<typeof EventDto>

/** The query of every list of events. There is no `total`, so pages are found by `marker` only. */
export const eventListQuery = <const Scope extends TSchema>(scope: Scope) =>
  exactObject({
    ...completeListQuery(events, scope).properties,
    since: Type.Optional(TimestampInput),
    before: Type.Optional(TimestampInput),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: `Page size. Default: ${defaultPageSize}, maximum: ${maxPageSize}.`,
      }),
    ),
    marker: Type.Optional(
      Type.String({
        maxLength: 32,
        pattern: '^[0-9a-f]{32}$',
        description: 'The id of the last event of the previous page, as in the `Link` header',
      }),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 0,
        description: 'Must be 0. Use `marker` for the next page.',
      }),
    ),
  })

export const EventList = exactObject({
  events: Type.Array(selected(EventDto)),
  limit: Type.Integer(),
})

/** An event with the field names of Cloudpods. */
const cloudpodsFields = {
  ops_time: Type.String({ description: '`time`' }),
  obj_type: Type.String({ description: '`target_type`' }),
  obj_id: Type.String({ description: '`target_id`' }),
  obj_name: Type.String({ description: '`target_name`' }),
  owner_tenant_id: Type.String({ description: '`project_id`' }),
  owner_domain_id: Type.String({ description: '`domain_id`' }),
  success: Type.Boolean({ description: 'Whether `result` is `success`' }),
  notes: Type.String({ description: '`changes`, as JSON text' }),
}
const { id, user, user_id, action, ip, request_id } = wireProperties(events)
export const CloudpodsEventDto = exactObject({
  id,
  user,
  user_id,
  action,
  ip,
  request_id,
  ...cloudpodsFields,
})
export type CloudpodsEventDto = Static<typeof CloudpodsEventDto>

const NextMarker = Type.String({ description: 'For `paging_marker`. Empty on the last page.' })

/** Only Cloudpods' clients send these parameters. With one of them, events have Cloudpods' field names. */
const cloudpodsParameters = {
  ...sameType(
    ['obj_type', 'obj_id', 'obj_name', 'owner_project_ids', 'owner_domain_ids'],
    several(Type.String({ maxLength: 1024 }), cloudpodsNote),
  ),
  until: Type.Optional({ ...TimestampInput, description: cloudpodsNote }),
  paging_marker: Type.Optional(
    Type.String({ maxLength: 32, pattern: '^[0-9a-f]{32}$', description: cloudpodsNote }),
  ),
  success: Type.Optional(Type.Boolean({ description: cloudpodsNote })),
}
const cloudpodsQuery = exactObject({
  ...eventListQuery(narrowingScope).properties,
  ...cloudpodsParameters,
})

/** A histogram of events: the filters of the list, without paging and sorting. */
const {
  limit: _limit,
  offset: _offset,
  marker: _marker,
  order: _order,
  order_by: _orderBy,
  field: _field,
  details: _details,
  admin: _admin,
  summary_stats: _summaryStats,
  ...eventFilter
} = eventListQuery(narrowingScope).properties

export const eventIntervals = ['day', 'hour'] as const
export type EventInterval = (typeof eventIntervals)[number]

const EventStatistics = exactObject({
  total: Type.Integer({ minimum: 0, description: 'Number of events' }),
  groups: Type.Array(
    exactObject({
      start: Type.String({
        description: '`2026-05-04` for a day, `2026-05-04T08:00+02:00` for an hour',
      }),
      count: Type.Integer({ minimum: 1 }),
      failed: Type.Integer({ minimum: 0, description: 'Those whose result is not `success`' }),
    }),
    { description: 'The earliest first, without those that have no event' },
  ),
  is_complete: Type.Boolean({
    description: 'Whether all events were counted. If not, give a later `since`.',
  }),
  counted_since: {
    ...OptionalTimestamp,
    description: 'If not all were counted: since when they were, to a quarter of an hour',
  },
})
export type EventStatistics = Static<typeof EventStatistics>

const permission = {
  service: 'identity',
  resource: 'events',
  action: 'list',
  at: ['system', 'domain', 'self'],
} as const

export const eventListExample = {
  events: [
    {
      id: '0197a3f2c4d000018f9a0b1c2d3e4f50',
      time: exampleTimestamp,
      action: 'update',
      target_type: 'project',
      target_id: example.projectId,
      target_name: 'genome',
      user_id: example.userId,
      user: 'ada',
      project_id: example.projectId,
      domain_id: example.domainId,
      ip: '192.0.2.7',
      request_id: 'req-1c9d8e7f-0a1b-4c2d-8e3f-405162738495',
      result: 'success',
      changes: { enabled: [true, false] },
      record: 'event',
      not_observed_since: null,
    },
  ],
  limit: 20,
} as const

const { time, target_type, target_id, target_name, project_id, domain_id, ...rest } =
  eventListExample.events[0]
const { result: _, record: __, not_observed_since: ___, changes, ...same } = rest
const cloudpodsExample: CloudpodsEventDto = {
  ...same,
  ops_time: time,
  obj_type: target_type,
  obj_id: target_id,
  obj_name: target_name,
  owner_tenant_id: project_id,
  owner_domain_id: domain_id,
  success: true,
  notes: JSON.stringify(changes),
}

/** The audit log where Cloudpods' clients look for it, with Cloudpods' field names. */
function cloudpodsEvents<
  const Id extends string,
  const Path extends string,
  const Key extends string,
>(id: Id, path: Path, key: Key, servedBy: readonly ProcessRole[]) {
  return {
    id,
    method: 'GET',
    path,
    ...identityDefaults,
    servedBy,
    permission,
    tag: 'Events',
    summary: `List audit events for Cloudpods' client: ${path}`,
    description: 'The events of `/events`, with the field names of Cloudpods.',
    query: cloudpodsQuery,
    responses: {
      200: {
        description: 'Events that you can access',
        body: exactObject({
          ...({ [key]: Type.Array(selected(CloudpodsEventDto)) } as Record<
            Key,
            TArray<TUnsafe<CloudpodsEventDto>>
          >),
          limit: Type.Integer(),
          next_marker: NextMarker,
        }),
        headers: { Link: 'The next page, if there is one' },
        example: { [key]: [cloudpodsExample], limit: defaultPageSize, next_marker: '' },
      },
    },
  } as const satisfies Operation
}

export const eventOperations = [
  {
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    ...identityDefaults,
    servedBy: ['identity', 'platform'],
    permission,
    tag: 'Events',
    summary: 'List audit events',
    description:
      'All logins and changes, newest first: who did what to which target, from which address, with which result. `project_id` and `domain_id` are those of the target. For a denied change, `domain_id` is the domain of the user. Without further permissions you see your own events. `Accept: text/csv` or `application/x-ndjson`, or `format`, streams all matches in the order in which they were committed (`order=asc`), or in reverse. To continue, pass the id of the last event as `marker`: no event is missed or repeated. A `marker` that is not in the export, such as the id of a purged event, is a 400: start without it.',
    query: exactObject({
      ...cloudpodsQuery.properties,
      format: Type.Optional(
        Type.Enum(['json', 'csv', 'ndjson'], {
          description: '`csv` and `ndjson` return all matches, without paging',
        }),
      ),
    }),
    responses: {
      200: {
        description: 'Events that you can access',
        body: exactObject({
          events: Type.Array(
            typedAs(
              EventDto,
              Type.Partial(exactObject({ ...wireProperties(events), ...cloudpodsFields }), {
                additionalProperties: false,
              }),
            ),
          ),
          limit: Type.Integer(),
          next_marker: Type.Optional(NextMarker),
        }),
        headers: { Link: 'The next page, if there is one' },
        example: eventListExample,
      },
    },
  },
  {
    id: 'getEventStatistics',
    method: 'GET',
    path: '/events/statistics',
    ...identityDefaults,
    servedBy: ['identity', 'platform'],
    permission,
    tag: 'Events',
    summary: 'Count audit events',
    description:
      'Counts the events that `/events` lists with the same filters, per day or hour. Changes that a source showed are not counted: see `/servers/changes/statistics`. The newest events are counted first; `is_complete` tells whether all were.',
    query: exactObject({
      ...eventFilter,
      interval: Type.Optional(Type.Enum([...eventIntervals], { description: 'Default: `day`' })),
      time_zone: TimeZone,
    }),
    responses: {
      200: {
        description: 'Counts of events that you can access',
        body: EventStatistics,
        example: {
          total: 12,
          groups: [
            { start: '2026-05-03', count: 4, failed: 0 },
            { start: '2026-05-04', count: 8, failed: 1 },
          ],
          is_complete: true,
          counted_since: null,
        },
      },
    },
  },
  cloudpodsEvents('listIdentityEvents', '/v3/events', 'events', ['identity']),
  cloudpodsEvents('listActions', '/actions', 'actions', ['identity', 'platform']),
] as const satisfies readonly Operation[]
