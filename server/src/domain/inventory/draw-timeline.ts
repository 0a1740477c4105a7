import type { ServerTimeline } from '@muster/contract'
import type { Sum } from './ports.ts'
import { noServers, plus } from './sums.ts'

/** Days are counted since 1970. */
export interface SizeHistory {
  readonly now: Sum
  /** The stored counts by day. */
  readonly counted: ReadonlyMap<number, Sum>
  /** The current servers by the day of their creation. */
  readonly made: ReadonlyMap<number, Sum>
}

type Point = ServerTimeline['timeline'][number]

const aDay = 86_400_000
export const dayOf = (time: number): number => Math.floor(time / aDay)
const dateOf = (day: number): string => new Date(day * aDay).toISOString().slice(0, 10)

/** The running value at the end of each day: each entry is added to the previous value, or replaces it. */
function* runningFrom(
  first: number,
  last: number,
  known: ReadonlyMap<number, Sum>,
  join: (before: Sum, next: Sum) => Sum,
): Generator<[day: number, sum: Sum]> {
  const earlier = [...known].filter(([day]) => day < first).toSorted(([a], [b]) => a - b)
  let sum = earlier.reduce((before, [, next]) => join(before, next), noServers)
  for (let day = first; day <= last; day += 1) {
    const next = known.get(day)
    if (next) sum = join(sum, next)
    yield [day, sum]
  }
}

/** The last `days` days as they were counted. Days without a count are estimated. */
export function drawTimeline(today: number, days: number, history: SizeHistory): Point[] {
  const { now, counted, made } = history
  const first = today - days + 1
  const beginning = Math.min(today, ...counted.keys())
  const estimates = new Map(runningFrom(first, today, made, plus))
  const counts = new Map(runningFrom(first, today, counted, (_, next) => next))

  return Array.from({ length: days }, (_, index): Point => {
    const day = first + index
    const date = dateOf(day)
    if (day === today) return { date, ...now, estimated: false }
    const known = day < beginning ? estimates : counts
    return { date, ...(known.get(day) ?? noServers), estimated: !counted.has(day) }
  })
}
