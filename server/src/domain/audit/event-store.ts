import type { Condition } from '../query/condition.ts'
import type { Page } from '../query/list-query.ts'
import type { Requester } from '../requester.ts'
import type { AuthorizedScope } from '../scope.ts'
import type { EventRecord } from './event.ts'

/** Filters and page of the audit log. */
export interface EventQuery {
  readonly since?: number
  readonly before?: number
  readonly where: Condition<string>
  /** Newest first. */
  readonly descending: boolean
  readonly limit: number
  /** The id of the last event of the previous page. */
  readonly marker?: string
  /**
   * Sorted as they were committed instead of by time. An event can be committed after one with a
   * later time, but never appears before one that this order has shown.
   */
  readonly byCommit?: boolean
  /** Filters do not see the address, because the response does not show it. */
  readonly hidesIp?: boolean
  /** The user whose turn in the queue a slow query takes. */
  readonly requester: Requester
}

/** Events are not counted: there may be millions. */
export type EventPage = Omit<Page<EventRecord>, 'total'>

export type EventCountQuery = Pick<EventQuery, 'since' | 'before' | 'where' | 'requester'>

/** The number of events of a quarter of an hour. */
interface EventCount {
  /** Milliseconds since 1970. */
  readonly start: number
  readonly count: number
  readonly failed: number
}

type EventUser = Pick<EventRecord, 'user_id' | 'user'>

export interface EventStore {
  /** Writes an event without a change. */
  record(event: EventRecord): Promise<void>
  list(authorizedScope: AuthorizedScope, query: EventQuery): Promise<EventPage>
  /** Counts at most `most` events, the newest first. The quarters of an hour are sorted by time. */
  count(
    authorizedScope: AuthorizedScope,
    query: EventCountQuery,
    most: number,
  ): Promise<readonly EventCount[]>
  /** Who sent these requests, by their ids. */
  usersOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, EventUser>>
  /** Deletes older events, except those that a sink has yet to deliver. */
  purge(before: number, now: number): Promise<void>
}
