import type { ChangeKind, ServerChangeStatistics } from '@muster/contract'

const hour = 3_600_000
export const shownHours = 24

export const shownKinds = ['appeared', 'gone', 'size', 'status'] as const satisfies ChangeKind[]
export type ShownKind = (typeof shownKinds)[number]

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

/** The changes of each of the last hours, by kind. */
export function countByHour(
  { groups }: Pick<ServerChangeStatistics, 'groups'>,
  kind: ShownKind,
  first: number,
): readonly HourCount[] {
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
