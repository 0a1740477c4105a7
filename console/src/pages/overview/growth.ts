import type { DayCount } from '../../api/queries/timeline.ts'

export interface Change {
  readonly since: string
  /** Negative if there are fewer. */
  readonly by: number
}

/** The change from the first day to the last. */
export function changeOver(days: readonly DayCount[]): Change | undefined {
  const [first, last] = [days[0], days.at(-1)]
  return first && last && first !== last
    ? { since: first.date, by: last.count - first.count }
    : undefined
}
