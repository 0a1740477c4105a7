import type {
  ChangeGroup,
  ServerChange,
  ServerChangeStatistics,
  ServerChangeStatisticsQuery,
} from '@muster/contract'
import { badField } from '../../error.ts'
import type { Caller } from '../../identity/caller.ts'
import { timestamp } from '../../timestamp.ts'
import { createZonedTime, type ZonedTime } from '../../zoned-time.ts'
import { maxChunk, type ListDependencies } from './list-changes.ts'
import { scanChanges } from './select-changes.ts'

/** A request counts no more. It takes some seconds. */
const mostExamined = 50_000
const mostGroups = 10_000

/** The values by which a change is counted. */
function valuesOf(change: ServerChange, group: ChangeGroup, zoned: ZonedTime): readonly string[] {
  switch (group) {
    case 'kind':
      return change.kinds
    case 'day':
      return [zoned(Date.parse(change.time)).day]
    case 'hour':
      return [zoned(Date.parse(change.time)).hour]
    case 'project':
      return [change.project_id]
    case 'account':
      return [change.account_id]
    case 'field':
      return Object.keys(change.changes)
  }
}

/** Counts the changes that the caller sees. */
export function createCountChanges({
  changes,
  selectChanges,
}: Omit<ListDependencies, 'markChanges'>) {
  return async function countChanges(
    caller: Caller,
    {
      group_by: groups = ['kind'],
      time_zone: timeZone = 'UTC',
      ...filter
    }: ServerChangeStatisticsQuery,
  ): Promise<ServerChangeStatistics> {
    const [first = 'kind', second] = groups
    if (first === second) throw badField('group_by', `has ${first} twice`)
    const zoned = createZonedTime(timeZone, 'time_zone')
    const selection = await selectChanges(caller, filter)
    const counts = new Map<string, { values: Record<string, string>; count: number }>()

    function count(values: Record<string, string>): void {
      const key = JSON.stringify(Object.values(values))
      const entry = counts.get(key)
      if (entry) entry.count += 1
      else if (counts.size === mostGroups) {
        throw badField(
          'group_by',
          `gives more than ${mostGroups} groups. Narrow the time or the filters.`,
        )
      } else counts.set(key, { values, count: 1 })
    }

    function countChange(change: ServerChange): void {
      for (const value of valuesOf(change, first, zoned)) {
        if (second === undefined) count({ [first]: value })
        else {
          for (const other of valuesOf(change, second, zoned)) {
            count({ [first]: value, [second]: other })
          }
        }
      }
    }

    let [total, examined] = [0, 0]
    let countedSince: number | undefined
    const scan = scanChanges(changes, selection, { descending: true, chunkSize: maxChunk })
    for await (const { items, count: some, last, hasMore } of scan) {
      for (const { change } of items) countChange(change)
      total += items.length
      examined += some
      if (hasMore && examined >= mostExamined) {
        countedSince = last?.time
        break
      }
    }
    const sorted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return {
      total,
      groups: sorted.map(([, group]) => group),
      is_complete: countedSince === undefined,
      counted_since: countedSince === undefined ? null : timestamp(countedSince),
    }
  }
}
export type CountChanges = ReturnType<typeof createCountChanges>
