import type { ServerChangeStatistics } from '@muster/contract'
import { toMoment } from '../../inventory/local-time.ts'
import { localDate } from './group-by-day.ts'

export const shownDays = 30

interface DayCount {
  /** In the time zone of the browser, such as `2026-05-04`. */
  readonly date: string
  readonly count: number
}

/** The last days, the oldest first, with the number of changes of each. */
export function daysUntil(
  now: number,
  groups: ServerChangeStatistics['groups'],
): readonly DayCount[] {
  const counts = new Map(groups.map(({ values, count }) => [values['day'], count] as const))
  return Array.from({ length: shownDays }, (_, at) => {
    const time = new Date(now)
    // By the calendar: a day can have 23 or 25 hours.
    time.setDate(time.getDate() - shownDays + 1 + at)
    const date = localDate(time.getTime())
    return { date, count: counts.get(date) ?? 0 }
  })
}

/** The last minute of a day, or the last one so far. */
export function endOfDay(date: string, now: number): string {
  const end = new Date(`${date}T00:00`)
  end.setDate(end.getDate() + 1)
  return toMoment(Math.min(end.getTime(), now) - 1)
}
