import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
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
  /** Between two looks for new events. */
  interval: 1_000,
  /** Longer than one attempt, so that it does not expire meanwhile. */
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
  let hasStorage = true
  let running: Promise<void> = Promise.resolve()

  async function holdLease(): Promise<void> {
    const started = performance.now()
    if (state && started - renewedAt < times.renewal) return
    const now = clock()
    state = await store.acquire(name, runner, now, now + times.lease)
    renewedAt = started
  }

  /** Tries to deliver one event. Returns the attempt and the state after it. */
  async function attempt({ position, event }: PositionedEvent, from: SinkState) {
    const time = clock()
    const started = performance.now()
    const attempts = from.attempts + 1
    const passed: SinkState = { position, event_id: event.id, attempts, failing_since: 0 }
    const end = (status: number, result: Attempt['result'], error: string): Attempt => {
      counts[result] += 1
      const duration_ms = Math.round(performance.now() - started)
      return { event_id: event.id, time, duration_ms, status, result, error }
    }
    try {
      return [end(await sink.send(event, stopping.signal), 'delivered', ''), passed] as const
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      const { status, message, isRejected } = error
      const failing_since = isRejected ? Math.min(from.failing_since || time, time) : 0
      if (isRejected && time - failing_since >= times.longestRejection) {
        return [end(status, 'skipped', message), passed] as const
      }
      return [end(status, 'failed', message), { ...from, attempts, failing_since }] as const
    }
  }

  function note({ result, error, event_id }: Attempt): void {
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

  /** Delivers events until one fails, and stores how far it came. Returns whether there may be more. */
  async function deliverBatch(): Promise<boolean> {
    if (!state || performance.now() < retryAt) return false
    const events = await store.next(state, batchSize)
    const started = performance.now()
    const attempts: Attempt[] = []
    let reached = state
    for (const each of events) {
      if (stopping.signal.aborted || performance.now() - started >= longestBatch) break
      const [done, after] = await attempt(each, reached)
      // An attempt that was cut off by the stop says nothing about the receiver.
      if (stopping.signal.aborted && done.result === 'failed') break
      attempts.push(done)
      reached = after
      note(done)
      if (done.result === 'failed') break
    }
    if (attempts.length > 0) await store.record(name, runner, reached, attempts)
    state = reached
    return events.length > 0 && failures === 0
  }

  async function tick(): Promise<boolean> {
    try {
      await holdLease()
      const hasMore = await deliverBatch()
      if (!hasStorage) log.info({ sink: name }, 'the delivery of events works again')
      hasStorage = true
      return hasMore
    } catch (error) {
      if (hasStorage) log.warn({ sink: name, err: error }, 'the delivery of events fails; retrying')
      hasStorage = false
      // Another process may have the lease now, or another position.
      state = undefined
      return false
    }
  }

  async function run(): Promise<void> {
    const { signal } = stopping
    while (!signal.aborted) {
      if (await tick()) continue
      await pause(times.interval, undefined, { signal, ref: false }).catch(() => {})
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
