const second = 1_000
const first = 5 * second
const longest = 15 * 60 * second
/** After so many failures in a row nobody is asked but to see whether it is back. */
export const patience = 5

/** Chance spreads those who failed together. */
export type Chance = () => number

/**
 * How long to wait after so many failures in a row: longer each time, and never much longer than a
 * minute or the usual period, so that a source that is back is noticed.
 */
export function backOff(failures: number, period: number, chance: Chance): number {
  const most = Math.min(Math.max(60 * second, period), longest)
  const wait = Math.min(first * 2 ** (Math.max(failures, 1) - 1), most)
  return Math.round(wait * (0.5 + chance() / 2))
}

/** The shortest time between two scans in the usual course of things. */
export const shortestScanInterval = (period: number): number => Math.round(period * 0.9)

/** The next scan in the usual course of things: not all accounts at the same moment. */
export const inDueCourse = (period: number, chance: Chance): number =>
  Math.round(period * (0.9 + chance() / 10))
