import { SourceError } from './source-error.ts'

const second = 1_000
const firstDelay = 5 * second
const longestDelay = 15 * 60 * second

/** Random delays keep accounts that failed together from retrying together. */
export type Random = () => number

/**
 * After wrong credentials. Many sources lock a user after five failed logins in three minutes; at
 * this pace there are at most four, with that of the event stream.
 */
const firstLoginDelay = 60 * second
const longestLoginDelay = 300 * second

export const isLoginFailure = (error: unknown) =>
  error instanceof SourceError && error.kind === 'credentials'

/**
 * Exponential back-off after consecutive failures. It ends at a minute or the period, whichever is
 * longer, so that a source that is back is noticed soon.
 */
export function backoffDelay(
  failures: number,
  period: number,
  random: Random,
  error?: unknown,
): number {
  const [first, last] = isLoginFailure(error)
    ? [firstLoginDelay, longestLoginDelay]
    : [firstDelay, 60 * second]
  const maxDelay = Math.min(Math.max(last, period), longestDelay)
  const delay = Math.min(first * 2 ** (Math.max(failures, 1) - 1), maxDelay)
  return Math.round(delay * (0.5 + random() / 2))
}

/** The shortest time between two scheduled scans. */
export const shortestScanInterval = (period: number): number => Math.round(period * 0.9)

/** The time until the next scheduled scan, spread so that accounts are not scanned all at once. */
export const nextScanDelay = (period: number, random: Random): number =>
  Math.round(period * (0.9 + random() / 10))
