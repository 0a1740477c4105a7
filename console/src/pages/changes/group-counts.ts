import type { ChangeKind, ServerChange, ServerChangeStatistics } from '@muster/contract'
import { localDate } from '../server/group-by-day.ts'

/** A day with changes. */
interface Day {
  /** As `2026-05-04`, in local time. */
  readonly date: string
  /** Undefined if not all of its changes were counted. */
  readonly count: number | undefined
}

/** The day before. */
function dayBefore(date: string): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return localDate(new Date(year, month - 1, day - 1).getTime())
}

/**
 * The days with changes, newest first. If not all changes were counted, also each earlier day of the period, because
 * it may have some.
 */
export function daysOf(
  { groups, is_complete, counted_since }: ServerChangeStatistics,
  since: number | undefined,
): readonly Day[] {
  const counted = groups
    .map(({ values, count }) => ({ date: values['day'] ?? '', count }))
    .sort((a, b) => (a.date < b.date ? 1 : -1))
  if (is_complete || counted_since === null || since === undefined) return counted
  const [last, first] = [localDate(counted_since), localDate(since)]
  const rest: Day[] = []
  for (let date = last; date >= first; date = dayBefore(date)) rest.push({ date, count: undefined })
  return [...counted.filter(({ date }) => date > last), ...rest]
}

/** The changes of a project on a day. */
export interface ProjectRow {
  readonly id: string
  readonly counts: readonly { readonly kind: ChangeKind; readonly count: number }[]
}

/** The projects with changes, by name, so that none moves when a count does. Counts are in the order of the kinds. */
export function projectRows(
  { groups }: ServerChangeStatistics,
  kinds: readonly ChangeKind[],
  nameOf: (id: string) => string,
): readonly ProjectRow[] {
  const byProject = Map.groupBy(groups, ({ values }) => values['project'] ?? '')
  return [...byProject]
    .map(([id, own]) => ({
      id,
      counts: kinds.flatMap((kind) => {
        const count = own.find(({ values }) => values['kind'] === kind)?.count
        return count === undefined ? [] : [{ kind, count }]
      }),
    }))
    .filter(({ counts }) => counts.length > 0)
    .sort((a, b) => nameOf(a.id).localeCompare(nameOf(b.id)))
}

/** Whether somebody caused the change through Muster. */
export const isThroughMuster = ({ request_id, task_id }: ServerChange): boolean =>
  request_id !== '' || task_id !== ''
