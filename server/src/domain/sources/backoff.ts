const second = 1_000
const first = 5 * second
const longest = 15 * 60 * second
/** After so many failures in a row nobody is asked but to see whether it is back. */
export const patience = 5

/** Random spreads those who failed together. */
export type Random = () => number

/**
 * How long to wait after so many failures in a row: longer each time, and never much longer than a
 * minute or the usual period, so that a source that is back is noticed.
 */
export function backoffDelay(failures: number, period: number, random: Random): number {
  const most = Math.min(Math.max(60 * second, period), longest)
  const wait = Math.min(first * 2 ** (Math.max(failures, 1) - 1), most)
  return Math.round(wait * (0.5 + random() / 2))
}

/** The shortest time between two scans in the usual course of things. */
export const shortestScanInterval = (period: number): number => Math.round(period * 0.9)

/** The next scan in the usual course of things: not all accounts at the same moment. */
export const nextScanDelay = (period: number, random: Random): number =>
  Math.round(period * (0.9 + random() / 10))
