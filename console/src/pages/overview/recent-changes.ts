import type { ServerChangeStatistics } from '@muster/contract'
import type { Search } from '../../url/search.ts'

const hour = 3_600_000
/** The first and the current one are parts of an hour: together they are 24 hours. */
export const shownHours = 25

export const shownKinds = ['appeared', 'gone', 'size', 'stopped'] as const
export type ShownKind = (typeof shownKinds)[number]

/** The filters of the Changes page. */
export const searchOf = (kind: ShownKind): Search =>
  kind === 'stopped' ? { kind: 'status', new_status: 'stopped' } : { kind }

export interface HourCount {
  /** When the hour begins. */
  readonly start: number
  readonly count: number
}

/** When the first of the last hours began, of which the current one is the last. */
export const firstHour = (now: number): number => (Math.floor(now / hour) - shownHours + 1) * hour

export const endOfHour = (start: number): number => start + hour

/** The form in which the API names hours of UTC. */
const nameOf = (start: number): string => `${new Date(start).toISOString().slice(0, 13)}:00+00:00`

/** The changes of each of the last hours, by kind. Of those that stopped, there are no other status changes. */
export function countByHour(
  { groups }: Pick<ServerChangeStatistics, 'groups'>,
  shown: ShownKind,
  first: number,
): readonly HourCount[] {
  const kind = shown === 'stopped' ? 'status' : shown
  const counts = new Map(
    groups
      .filter(({ values }) => values['kind'] === kind)
      .map(({ values, count }) => [values['hour'], count] as const),
  )
  return Array.from({ length: shownHours }, (_, at) => {
    const start = first + at * hour
    return { start, count: counts.get(nameOf(start)) ?? 0 }
  })
}
