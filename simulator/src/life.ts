/** The fleet as it was before anything of its life was seen. All of its history lies before, none depends on the clock. */
export const epoch = Date.UTC(2026, 0, 1)

/** Things happen in steps of this many milliseconds. */
export const tickLength = 5_000

/** Of a thousand servers so many begin a change in a tick; some of them end it in the next. */
const share = 0.0014
const maxAtOnce = 35
/** A change that takes its time is over before the next one begins. */
const minSyncPeriod = 4

/** What happens to a server, in turn. Each server starts somewhere else in it. */
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

/** Which events have passed, of the first so many, by kind. */
const passed = Array.from({ length: events.length + 1 }, (_, count) => {
  const counts: Record<Event, number> = { status: 0, label: 0, address: 0, size: 0 }
  for (const event of events.slice(0, count)) counts[event] += 1
  return counts
})
const inARound = passed[events.length] as Record<Event, number>

/** How often each has happened to a server, and when the last of them began. */
export interface Life extends Readonly<Record<Event, number>> {
  /** How many changes there have been. */
  readonly changes: number
  /** What the last one was; undefined where there was none. */
  readonly last: Event | undefined
  /** When it began; the epoch where there was none. */
  readonly since: number
  /** The last change is under way still. */
  readonly isMoving: boolean
}

const untouched: Life = {
  status: 0,
  label: 0,
  address: 0,
  size: 0,
  changes: 0,
  last: undefined,
  since: epoch,
  isMoving: false,
}

export const tickOf = (moment: number): number =>
  Math.max(0, Math.floor((moment - epoch) / tickLength))

/**
 * When each server changes. Every server has its tick in a period that all share, so that both
 * questions are quick: what has happened to this one, and who changes now.
 */
export function createCalendar(servers: number) {
  const atOnce = Math.min(maxAtOnce, Math.max(1, Math.round(servers * share)))
  const period = Math.max(minSyncPeriod, Math.ceil(servers / atOnce))
  // Neighbours belong to one project: their turns are scattered by a stride that meets each once.
  const stride = [7_919, 6_101, 5_003].find((prime) => period % prime !== 0) ?? 1
  const atPlace = new Int32Array(period)
  for (let place = 0; place < period; place += 1) atPlace[(place * stride) % period] = place

  const countAt = (event: Event, count: number) =>
    Math.floor(count / events.length) * inARound[event] +
    (passed[count % events.length] as Record<Event, number>)[event]

  return {
    /** In ticks. */
    period,

    lifeOf(index: number, dice: number, moment: number): Life {
      const tick = tickOf(moment)
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
        since: epoch + since * tickLength,
        isMoving: tick === since,
      }
    },

    /** Who begins a change in a tick. */
    *beginningAt(tick: number): Generator<number> {
      if (tick < 1) return
      const first = atPlace[(tick - 1) % period] as number
      for (let index = first; index < servers; index += period) yield index
    },
  }
}
