import type { EventDelivery, EventSinkName } from '@muster/contract'
import type { ListQuery, Page } from '../query/list-query.ts'
import type { Requester } from '../requester.ts'
import type { EventRecord } from './event.ts'

/** A receiver of events. */
export interface EventSink {
  readonly name: EventSinkName
  /**
   * Resolves with the HTTP status, or 0, when the receiver has accepted the event. Otherwise throws a
   * `DeliveryError`.
   */
  send(event: EventRecord, signal: AbortSignal): Promise<number>
  close(): void
}

export class DeliveryError extends Error {
  /** The HTTP status; 0 if there was none. */
  readonly status: number

  constructor(message: string, status = 0) {
    super(message)
    this.status = status
  }
}

/** What is delivered, in the order in which it was committed. */
export interface LogPosition {
  readonly position: number
  /** Tells apart what was committed at the same position: the id of an event, or the number of a server. */
  readonly event_id: string
}

/** The position of a sink in the log: of the last event that was delivered or skipped. */
export interface SinkState extends LogPosition {
  readonly attempts: number
  /** When the next event was first rejected; 0 if it was not. */
  readonly failing_since: number
}

export interface PositionedEvent {
  readonly at: LogPosition
  readonly event: EventRecord
}

export type Attempt = Omit<EventDelivery, 'id' | 'sink' | 'time'> & { readonly time: number }

export interface SinkLag {
  /** Events still to deliver, counted up to a limit. */
  readonly events: number
  /** The time of the first of them; undefined if there is none. */
  readonly since: number | undefined
}

/** Stores how far the sinks of one record are: of events, or of changes of servers. */
export interface SinkStore {
  /** Takes or renews the lease. Undefined if another process has it. A new sink starts after the newest event. */
  acquire(
    name: EventSinkName,
    runner: string,
    now: number,
    until: number,
  ): Promise<SinkState | undefined>
  release(name: EventSinkName, runner: string): Promise<void>
  /** The next events, in the order in which they were committed. */
  next(state: SinkState, limit: number): Promise<readonly PositionedEvent[]>
  /** Stores the state and the attempts that led to it. Rejects if another process has the lease. */
  record(
    name: EventSinkName,
    runner: string,
    state: SinkState,
    attempts: readonly Attempt[],
  ): Promise<void>
  lag(name: EventSinkName): Promise<SinkLag>
}

export interface DeliveryLog {
  listDeliveries(
    query: Pick<ListQuery<string>, 'scope' | 'where' | 'order' | 'limit' | 'offset' | 'marker'>,
    requester?: Requester,
  ): Promise<Page<EventDelivery>>
}
