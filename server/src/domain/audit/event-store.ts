import type { AuthorizedScope } from '../scope.ts'
import type { EventRecord } from './event.ts'

/** What a caller wants of the audit log; what is not definedFields does not narrow. */
export interface EventQuery {
  readonly since?: number
  readonly before?: number
  readonly matching: Readonly<Partial<Record<EventFilter, string>>>
  readonly limit: number
  /** The id of the last event of the page before. */
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
  /** Writes an event that no change goes with. */
  record(event: EventRecord): Promise<void>
  /** Newest first, and one more than the limit where there are more. */
  list(authorizedScope: AuthorizedScope, query: EventQuery): Promise<readonly EventRecord[]>
  purge(before: number): Promise<void>
}
