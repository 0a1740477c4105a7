import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { isUnavailable } from '../error.ts'
import { nextTurn } from '../next-turn.ts'
import {
  DeliveryError,
  type Attempt,
  type EventSink,
  type PositionedEvent,
  type SinkState,
  type SinkStore,
} from './event-sink.ts'

interface Dependencies {
  readonly sink: EventSink
  readonly store: SinkStore
  /** Identifies this process among all processes that share the storage. */
  readonly runner: string
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds; shorter in tests. */
  readonly times?: Partial<typeof defaultTimes>
}

interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

const defaultTimes = {
  /** Milliseconds between two checks for new events. */
  interval: 1_000,
  /** Longer than one attempt, so that the lease does not expire during it. */
  lease: 30_000,
  renewal: 5_000,
  firstRetry: 1_000,
  longestRetry: 300_000,
  /** After this time an event that the receiver rejects is skipped. */
  longestRejection: 3_600_000,
}

/** Events read, and recorded as delivered, at a time. */
const batchSize = 100
/** The position is stored at least this often, in milliseconds. */
const longestBatch = 1_000

/** Delivers events to one sink, in order, each at least once. Among processes, the one with the lease delivers. */
export function createEventDelivery(dependencies: Dependencies) {
  const { sink, store, runner, clock, log } = dependencies
  const times = { ...defaultTimes, ...dependencies.times }
  const { name } = sink
  const stopping = new AbortController()
  const counts = { delivered: 0, failed: 0, skipped: 0 }
  let state: SinkState | undefined
  // By `performance.now`: a wrong clock must not postpone a renewal or a retry.
  let renewedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let retryAt = 0
  let isBroken = false
  let running: Promise<void> = Promise.resolve()

  async function holdLease(): Promise<void> {
    const started = performance.now()
    if (state && started - renewedAt < times.renewal) return
    const now = clock()
    state = await store.acquire(name, runner, now, now + times.lease)
    renewedAt = started
  }

  async function send({ event }: PositionedEvent): Promise<Attempt> {
    const time = clock()
    const started = performance.now()
    const end = (status: number, result: Attempt['result'], error: string): Attempt => {
      const duration_ms = Math.round(performance.now() - started)
      return { event_id: event.id, time, duration_ms, status, result, error }
    }
    try {
      return end(await sink.send(event, stopping.signal), 'delivered', '')
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      return end(error.status, 'failed', error.message)
    }
  }

  /**
   * Tries to deliver an event. After an hour of responses that reject it, also tries the next one:
   * if that is accepted, the first is skipped, else the receiver is at fault.
   */
  async function attempt(from: SinkState, event: PositionedEvent, next?: PositionedEvent) {
    const after = ({ at }: PositionedEvent, ...attempts: Attempt[]) => {
      const count = from.attempts + attempts.length
      return { attempts, reached: { ...at, attempts: count, failing_since: 0 } }
    }
    const first = await send(event)
    if (first.result === 'delivered') return after(event, first)
    const failing_since = first.status === 0 ? 0 : from.failing_since || first.time
    const isRejected = first.status !== 0 && first.time - failing_since >= times.longestRejection
    const second = isRejected && next ? await send(next) : undefined
    if (next && second?.result === 'delivered') {
      return after(next, { ...first, result: 'skipped' }, second)
    }
    const attempts = second ? [first, second] : [first]
    const count = from.attempts + attempts.length
    return { attempts, reached: { ...from, attempts: count, failing_since } }
  }

  function note({ result, error, event_id }: Attempt): void {
    counts[result] += 1
    if (result === 'skipped') {
      log.warn(
        { sink: name, event: event_id, error },
        'an event was skipped: it is always rejected',
      )
    }
    if (result === 'failed') {
      if (failures === 0) log.warn({ sink: name, error }, 'events cannot be delivered; retrying')
      const wait = Math.min(times.firstRetry * 2 ** failures, times.longestRetry)
      retryAt = performance.now() + wait * (0.5 + Math.random() / 2)
      failures += 1
    } else {
      if (failures > 0) log.info({ sink: name }, 'events are delivered again')
      failures = 0
    }
  }

  /**
   * Delivers events until one fails, and stores the position reached. Returns whether more events may be
   * waiting.
   */
  async function deliverBatch(): Promise<boolean> {
    if (!state || performance.now() < retryAt) return false
    const events = await store.next(state, batchSize)
    const started = performance.now()
    const attempts: Attempt[] = []
    let reached = state
    for (const [index, each] of events.entries()) {
      if (stopping.signal.aborted || performance.now() - started >= longestBatch) break
      const done = await attempt(reached, each, events[index + 1])
      const isFailed = done.attempts.at(-1)?.result === 'failed'
      // An attempt that a shutdown interrupted says nothing about the receiver.
      if (stopping.signal.aborted && isFailed) break
      attempts.push(...done.attempts)
      reached = done.reached
      for (const one of done.attempts) note(one)
      // The second attempt was for the next event.
      if (isFailed || done.attempts.length > 1) break
    }
    if (attempts.length > 0) await store.record(name, runner, reached, attempts)
    state = reached
    return events.length > 0 && failures === 0
  }

  async function tick(): Promise<boolean> {
    try {
      await holdLease()
      const hasMore = await deliverBatch()
      if (isBroken) log.info({ sink: name }, 'the delivery of events works again')
      isBroken = false
      return hasMore
    } catch (error) {
      // The health check logs the start and the end of an outage of the database.
      const isOutage = isUnavailable(error)
      if (!isBroken && !isOutage) {
        log.warn({ sink: name, err: error }, 'the delivery of events fails; retrying')
      }
      isBroken ||= !isOutage
      // Another process may have the lease now, or another position.
      state = undefined
      return false
    }
  }

  async function run(): Promise<void> {
    const { signal } = stopping
    while (!signal.aborted) {
      // Gives other work a turn, because a receiver may accept events as fast as they are read.
      if (await tick()) await nextTurn()
      else await pause(times.interval, undefined, { signal, ref: false }).catch(() => {})
    }
    sink.close()
    if (state) await store.release(name, runner).catch(() => {})
  }

  return {
    name,
    counts: () => ({ ...counts }),
    lag: () => store.lag(name),
    start(): void {
      running = run()
    },
    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}
export type EventDelivery = ReturnType<typeof createEventDelivery>
