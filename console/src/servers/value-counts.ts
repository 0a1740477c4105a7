import type { Generated } from '../api/generation.ts'
import type { ResourceRow } from '../inventory/resource-row.ts'

/** The values of a field in these rows, most frequent first. */
export function countValues(rows: readonly ResourceRow[], field: string): readonly ValueCount[] {
  const counts = new Map<string, number>()
  for (const { [field]: value } of rows) {
    if (value === undefined || value === null || value === '') continue
    counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || one.value.localeCompare(other.value))
}

/** A value and its number of servers. The API sorts by count. */
export interface ValueCount {
  readonly value: string | number | boolean | null
  readonly count: number
}

/** The values of some fields, with the number of items of each, and of all items. */
export interface ValueCounts extends Generated {
  readonly total: number
  readonly groups: Readonly<Record<string, readonly ValueCount[]>>
}

/** The API returns at most this many values, and one more entry with the sum of all others. */
const maxGroupValues = 100

export const listedValues = <Group extends ValueCount>(
  groups: readonly Group[],
): readonly Group[] => groups.slice(0, maxGroupValues)

/** How many servers have other values; undefined if all values are listed. */
export const unlistedCount = (groups: readonly ValueCount[]): number | undefined =>
  groups[maxGroupValues]?.count

/**
 * The responses for the values of the filters. The first one counts all items that match. Each of
 * the others counts a field again without its own filter, so that alternatives stay visible.
 */
export type FilterValueCounts = readonly (ValueCounts | undefined)[]

/** The values of a field, with those that its own filter excludes. */
export const valuesIn = (counts: FilterValueCounts, group: string): readonly ValueCount[] =>
  counts.findLast((one) => one?.groups[group])?.groups[group] ?? []
