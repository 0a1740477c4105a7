import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import {
  completeListQuery,
  listBody,
  narrowingScope,
  selected,
} from '../resources/list-operations.ts'
import {
  enumeration,
  knownTimestamp,
  number,
  text,
  wireSchema,
  type Resource,
} from '../resources/resource.ts'
import { exampleTimestamp } from './examples.ts'

/** A receiver of both records has two places: one in the events, one in the changes of servers. */
export const eventSinks = ['webhook', 'syslog', 'webhook-changes', 'syslog-changes'] as const
export type EventSinkName = (typeof eventSinks)[number]

export const deliveryResults = ['delivered', 'failed', 'skipped'] as const

const uses = ['filter', 'sort'] as const

/** Attempts to deliver events to the receivers in the settings. */
export const eventDeliveries = {
  key: 'event_delivery',
  keys: 'event_deliveries',
  noun: 'EventDelivery',
  nouns: 'EventDeliveries',
  one: 'a delivery attempt',
  many: 'delivery attempts',
  fields: {
    id: text('Id of the attempt', uses),
    sink: {
      ...enumeration('`webhook` or `syslog`; with `-changes` for changes of servers', uses),
      schema: Type.Enum([...eventSinks]),
    },
    event_id: text('Id of the event', ['filter', 'sort', 'search']),
    time: knownTimestamp('When the attempt started', uses),
    duration_ms: number('Duration in milliseconds', uses),
    status: number('HTTP status of the response; 0 if there was none', uses),
    result: {
      ...enumeration(
        '`delivered`, `failed` (it will be retried) or `skipped` (the receiver rejected the event for an hour, and accepted the next one)',
        uses,
      ),
      schema: Type.Enum([...deliveryResults]),
    },
    error: text('Why it failed; empty if it did not', ['filter', 'search']),
  },
} as const satisfies Resource

export const EventDelivery = wireSchema(eventDeliveries)
export type EventDelivery = Static<typeof EventDelivery>

export const eventDeliveryOperations = [
  {
    id: 'listEventDeliveries',
    method: 'GET',
    path: '/event_deliveries',
    ...identityDefaults,
    servedBy: ['identity', 'platform'],
    permission: { service: 'identity', resource: 'events', action: 'list', at: ['system'] },
    tag: 'Events',
    summary: 'List deliveries of audit events',
    description:
      'The last 1000 attempts to deliver events to the webhook, and to syslog. Newest first by default.',
    query: completeListQuery(eventDeliveries, narrowingScope),
    responses: {
      200: {
        description: 'A page of delivery attempts',
        body: listBody('event_deliveries', selected(EventDelivery)),
        headers: { Link: 'The next page, if there is one: `rel="next"`' },
        example: {
          event_deliveries: [
            {
              id: 'webhook-4711',
              sink: 'webhook',
              event_id: '0197a3f2c4d000018f9a0b1c2d3e4f50',
              time: exampleTimestamp,
              duration_ms: 23,
              status: 503,
              result: 'failed',
              error: 'siem.example.org answered with the status 503.',
            },
          ],
          limit: 20,
          offset: 0,
          total: 1,
        },
      },
    },
  },
] as const satisfies readonly Operation[]
