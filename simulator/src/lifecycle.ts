/** The time at which simulated changes begin. Everything before does not depend on the clock. */
export const startTime = Date.UTC(2026, 0, 1)

/** Milliseconds of one step of the simulation. */
export const tickLength = 5_000

/** How many of 1,000 servers begin a change in a tick; some end it in the next tick. */
const share = 0.0014
const maxAtOnce = 35
/** A change ends before the next one of the same server begins. */
const minSyncPeriod = 4

/** The cycle of changes of a server. Each server starts at another position. */
const events = [
  'status',
  'label',
  'status',
  'address',
  'status',
  'size',
  'status',
  'label',
] as const
type Event = (typeof events)[number]

/** How often each change has happened after a number of steps. */
const passed = Array.from({ length: events.length + 1 }, (_, count) => {
  const counts: Record<Event, number> = { status: 0, label: 0, address: 0, size: 0 }
  for (const event of events.slice(0, count)) counts[event] += 1
  return counts
})
const inARound = passed[events.length] as Record<Event, number>

/** The history of a server's changes. */
export interface Life extends Readonly<Record<Event, number>> {
  /** The number of changes so far. */
  readonly changes: number
  /** The last change; undefined if there was none. */
  readonly last: Event | undefined
  /** When it began; the start time of the simulation if there was none. */
  readonly since: number
  /** Whether the last change is still in progress. */
  readonly isMoving: boolean
}

const untouched: Life = {
  status: 0,
  label: 0,
  address: 0,
  size: 0,
  changes: 0,
  last: undefined,
  since: startTime,
  isMoving: false,
}

export const tickOf = (time: number): number =>
  Math.max(0, Math.floor((time - startTime) / tickLength))

/**
 * The schedule of changes. Every server has one tick in a shared period, so both lookups are fast:
 * the history of a server, and the servers that change in a tick.
 */
export function createCalendar(servers: number) {
  const atOnce = Math.min(maxAtOnce, Math.max(1, Math.round(servers * share)))
  const period = Math.max(minSyncPeriod, Math.ceil(servers / atOnce))
  // Neighbours belong to one project, so a stride spreads their ticks.
  const stride = [7_919, 6_101, 5_003].find((prime) => period % prime !== 0) ?? 1
  const atPlace = new Int32Array(period)
  for (let place = 0; place < period; place += 1) atPlace[(place * stride) % period] = place

  const countAt = (event: Event, count: number) =>
    Math.floor(count / events.length) * inARound[event] +
    (passed[count % events.length] as Record<Event, number>)[event]

  return {
    /** In ticks. */
    period,

    lifeOf(index: number, dice: number, time: number): Life {
      const tick = tickOf(time)
      const turn = (((index % period) * stride) % period) + 1
      if (tick < turn) return untouched
      const changes = Math.floor((tick - turn) / period) + 1
      const start = dice % events.length
      const end = start + changes
      const since = turn + (changes - 1) * period
      const count = (event: Event) => countAt(event, end) - countAt(event, start)
      return {
        status: count('status'),
        label: count('label'),
        address: count('address'),
        size: count('size'),
        changes,
        last: events[(end - 1) % events.length],
        since: startTime + since * tickLength,
        isMoving: tick === since,
      }
    },

    /** The servers that begin a change in a tick. */
    *beginningAt(tick: number): Generator<number> {
      if (tick < 1) return
      const first = atPlace[(tick - 1) % period] as number
      for (let index = first; index < servers; index += period) yield index
    },
  }
}
