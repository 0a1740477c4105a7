import type { AuthorizedScope } from '../scope.ts'
import type { EventRecord } from './event.ts'

/** Filters and page of the audit log. */
export interface EventQuery {
  readonly since?: number
  readonly before?: number
  readonly matching: Readonly<Partial<Record<EventFilter, string>>>
  readonly limit: number
  /** The id of the last event of the previous page. */
  readonly marker?: string
}

type EventFilter =
  | 'user_id'
  | 'action'
  | 'target_type'
  | 'target_id'
  | 'project_id'
  | 'domain_id'
  | 'result'
  | 'request_id'

export interface EventStore {
  /** Writes an event without a change. */
  record(event: EventRecord): Promise<void>
  /** Newest first, with one event more than the limit if there are more. */
  list(authorizedScope: AuthorizedScope, query: EventQuery): Promise<readonly EventRecord[]>
  purge(before: number): Promise<void>
}
