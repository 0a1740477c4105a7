import { largestEventPage, type EventView } from '@muster/contract'
import type { EventRecord } from '../domain/audit/event.ts'
import { readMoment } from '../domain/read-moment.ts'
import { timestamp } from '../domain/timestamp.ts'

interface Paging {
  readonly since?: string
  readonly before?: string
  readonly marker?: string
  readonly limit?: number
}

const usualPage = 20

/** Which part of a list of events is wanted. */
export const toEventQuery = ({ since, before, marker, limit = usualPage }: Paging) => ({
  ...(since !== undefined && { since: readMoment(since, 'since') }),
  ...(before !== undefined && { before: readMoment(before, 'before') }),
  ...(marker !== undefined && { marker }),
  limit: Math.min(limit, largestEventPage),
})

/** An event as the wire shows it. */
export const describeEventView = (event: EventRecord): EventView => ({
  ...event,
  time: timestamp(event.time),
})
