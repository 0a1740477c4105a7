import type { FailedPart } from './source.ts'

/** What a complete scan has observed of an account. */
export interface Observation {
  /** When the scan was complete. */
  readonly now: number
  /** A scan that is complete later leaves a gap: Muster, its database or the source was away meanwhile. */
  readonly freshUntil: number
  /** The source's ids of regions that it could not read. */
  readonly unread: readonly string[]
}

interface ScanTimes {
  /** When the scan was complete. */
  readonly now: number
  /** Milliseconds that the scan took. */
  readonly duration: number
  /** Milliseconds between complete scans. */
  readonly period: number
}

const [shortestDelay, longestDelay] = [5_000, 60_000]

/** The next scan may take twice as long as this one, and begin a little late. */
const freshUntil = ({ now, duration, period }: ScanTimes): number =>
  now + period + 2 * duration + Math.min(Math.max(period / 4, shortestDelay), longestDelay)

/** Undefined if the scan has missed servers that can be in any region: then it has observed nothing for certain. */
export function observe(failed: readonly FailedPart[], times: ScanTimes): Observation | undefined {
  const unread = failed.filter(({ hasServers }) => hasServers !== true)
  if (unread.some(({ region }) => region === '')) return undefined
  return {
    now: times.now,
    freshUntil: Math.round(freshUntil(times)),
    unread: [...new Set(unread.map(({ region }) => region))],
  }
}
