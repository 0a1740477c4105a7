import { defaultPageSize, maxPageSize, type EventDto } from '@muster/contract'
import type { EventRecord } from '../domain/audit/event.ts'
import { readTimestamp } from '../domain/read-timestamp.ts'
import { timestamp } from '../domain/timestamp.ts'

interface Paging {
  readonly since?: string
  readonly before?: string
  readonly marker?: string
  readonly limit?: number
}

/** Converts paging parameters to a query for events. */
export const toEventQuery = ({ since, before, marker, limit = defaultPageSize }: Paging) => ({
  ...(since !== undefined && { since: readTimestamp(since, 'since') }),
  ...(before !== undefined && { before: readTimestamp(before, 'before') }),
  ...(marker !== undefined && { marker }),
  limit: Math.min(limit, maxPageSize),
})

/** Renders an event for the API. */
export const renderEvent = (event: EventRecord): EventDto => ({
  ...event,
  time: timestamp(event.time),
})
