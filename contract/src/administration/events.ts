import { Type, type Static } from 'typebox'
import { clientParameters, defaultPageSize, maxPageSize } from '../paging.ts'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject, Id, TimestampInput, sameType, Timestamp } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'

export const eventResults = ['success', 'failure', 'denied'] as const

/** Not `Type.Tuple`: its array of `items` is not allowed in OpenAPI 3.1. */
const BeforeAndAfter = Type.Unsafe<[unknown, unknown]>(
  Type.Array(Type.Unknown(), { minItems: 2, maxItems: 2 }),
)

export const EventDto = exactObject({
  id: Type.String(),
  time: Timestamp,
  ...sameType(
    [
      'action',
      'target_type',
      'target_id',
      'target_name',
      'user_id',
      'user',
      'project_id',
      'domain_id',
      'ip',
      'request_id',
    ],
    Type.String(),
  ),
  result: Type.Enum([...eventResults]),
  changes: Type.Record(Type.String(), BeforeAndAfter, {
    description: 'Changed fields, each as `[before, after]`. Secrets are never included.',
  }),
})
export type EventDto = Static<typeof EventDto>

const ShortText = Type.String({ minLength: 1, maxLength: 255 })

/** Time range and paging of every list of events. */
export const eventPaging = {
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
  ...clientParameters,
}

export const EventList = exactObject({ events: Type.Array(EventDto), limit: Type.Integer() })

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
    },
  ],
  limit: 20,
}

export const eventOperations = [
  {
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    ...identityDefaults,
    servedBy: ['identity', 'platform'],
    permission: {
      service: 'identity',
      resource: 'events',
      action: 'list',
      at: ['system', 'domain', 'self'],
    },
    tag: 'Events',
    summary: 'List audit events',
    description:
      'All logins and changes, newest first: who did what to which target, from which address, with which result. `project_id` and `domain_id` are those of the target. For a denied change, `domain_id` is the domain of the user. Without further permissions you see your own events.',
    query: exactObject({
      user_id: Type.Optional(Id),
      action: Type.Optional(ShortText),
      target_type: Type.Optional(ShortText),
      target_id: Type.Optional(ShortText),
      project_id: Type.Optional(Id),
      domain_id: Type.Optional(Id),
      result: Type.Optional(Type.Enum([...eventResults])),
      request_id: Type.Optional(ShortText),
      ...eventPaging,
    }),
    responses: {
      200: {
        description: 'Events that you can access',
        body: EventList,
        headers: { Link: 'The next page, if there is one' },
        example: eventListExample,
      },
    },
  },
] as const satisfies readonly Operation[]
