const second = 1_000
const firstDelay = 5 * second
const longestDelay = 15 * 60 * second

/** Random delays keep accounts that failed together from retrying together. */
export type Random = () => number

/**
 * Exponential back-off after consecutive failures. It ends at a minute or the period, whichever is
 * longer, so that a source that is back is noticed soon.
 */
export function backoffDelay(failures: number, period: number, random: Random): number {
  const maxDelay = Math.min(Math.max(60 * second, period), longestDelay)
  const delay = Math.min(firstDelay * 2 ** (Math.max(failures, 1) - 1), maxDelay)
  return Math.round(delay * (0.5 + random() / 2))
}

/** The shortest time between two scheduled scans. */
export const shortestScanInterval = (period: number): number => Math.round(period * 0.9)

/** The time until the next scheduled scan, spread so that accounts are not scanned all at once. */
export const nextScanDelay = (period: number, random: Random): number =>
  Math.round(period * (0.9 + random() / 10))
