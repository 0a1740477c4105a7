import type { EventInterval, EventStatistics } from '@muster/contract'
import { isSpan, spans, type EventFilters } from './event-filters.ts'

const hour = 3_600_000
const day = 24 * hour
/** The time of the histogram if no filter is about the time. */
const defaultSpan = 30 * day
/** Hours are counted up to this, days for longer times. */
const longestOfHours = 2 * day
const longestShown = 366 * day

export interface EventRange {
  readonly from: number
  readonly until: number
  readonly interval: EventInterval
}

/** The time that a histogram of events shows. */
export function eventRange({ last, since, before }: EventFilters, now: number): EventRange {
  const until = before === undefined ? now : Date.parse(before)
  const wanted =
    since === undefined ? until - (isSpan(last) ? spans[last] : defaultSpan) : Date.parse(since)
  const from = Math.max(wanted, until - longestShown)
  return { from, until, interval: until - from <= longestOfHours ? 'hour' : 'day' }
}

export interface EventBar {
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly count: number
  readonly failed: number
}

/** Days and hours begin in the time zone of the user. */
function startOf(time: number, interval: EventInterval): Date {
  const at = new Date(time)
  if (interval === 'day') at.setHours(0, 0, 0, 0)
  else at.setMinutes(0, 0, 0)
  return at
}

function endOf(start: number, interval: EventInterval): number {
  if (interval === 'hour') return start + hour
  const at = new Date(start)
  at.setDate(at.getDate() + 1)
  return at.getTime()
}

/** A bar for each hour or day of the range, also for those without an event. */
export function eventBars(
  { from, until, interval }: EventRange,
  groups: EventStatistics['groups'],
): readonly EventBar[] {
  const counted = new Map(
    groups.map((group) => [
      Date.parse(interval === 'day' ? `${group.start}T00:00` : group.start),
      group,
    ]),
  )
  const bars: EventBar[] = []
  for (let start = startOf(from, interval).getTime(); start < until;) {
    const end = endOf(start, interval)
    const { count = 0, failed = 0 } = counted.get(start) ?? {}
    bars.push({ start, end, count, failed })
    start = end
  }
  return bars
}
