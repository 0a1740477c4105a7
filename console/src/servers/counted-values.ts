/** A value that servers have in common, as the API counts them, most servers first. */
export interface Counted {
  readonly value: string | number | boolean | null
  readonly count: number
}

/** So many values the API tells apart; one further entry is the sum of all others, whatever its name. */
const mostGroupValues = 100

export const toldValues = <Group extends Counted>(groups: readonly Group[]): readonly Group[] =>
  groups.slice(0, mostGroupValues)

/** How many servers have a value that is not told; undefined where all are. */
export const untoldCount = (groups: readonly Counted[]): number | undefined =>
  groups[mostGroupValues]?.count
