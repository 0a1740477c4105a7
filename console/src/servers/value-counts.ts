/** A value that servers have in common, as the API counts them, most servers first. */
export interface ValueCount {
  readonly value: string | number | boolean | null
  readonly count: number
}

/** So many values the API tells apart; one further entry is the sum of all others, whatever its name. */
const maxGroupValues = 100

export const listedValues = <Group extends ValueCount>(
  groups: readonly Group[],
): readonly Group[] => groups.slice(0, maxGroupValues)

/** How many servers have a value that is not told; undefined where all are. */
export const unlistedCount = (groups: readonly ValueCount[]): number | undefined =>
  groups[maxGroupValues]?.count
