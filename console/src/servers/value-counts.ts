/** A value and its number of servers. The API sorts by count. */
export interface ValueCount {
  readonly value: string | number | boolean | null
  readonly count: number
}

/** The API returns at most this many values, and one more entry with the sum of all others. */
const maxGroupValues = 100

export const listedValues = <Group extends ValueCount>(
  groups: readonly Group[],
): readonly Group[] => groups.slice(0, maxGroupValues)

/** How many servers have other values; undefined if all values are listed. */
export const unlistedCount = (groups: readonly ValueCount[]): number | undefined =>
  groups[maxGroupValues]?.count
