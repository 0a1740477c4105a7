import { LRUCache } from 'lru-cache'
import { PlatformError } from './error.ts'

const minute = 60_000
const mostKeys = 100_000

interface Window {
  readonly start: number
  count: number
  /** The count of the minute before. */
  readonly previous: number
}

/** Counts events per key over the last minute, the past minute's share fading evenly. */
export function createRateLimit(perMinute: number, details: string) {
  const windows = new LRUCache<string, Window>({ max: mostKeys })

  function windowOf(key: string, now: number) {
    const start = Math.floor(now / minute) * minute
    let window = windows.get(key)
    if (window?.start !== start) {
      const previous = window?.start === start - minute ? window.count : 0
      window = { start, count: 0, previous }
      windows.set(key, window)
    }
    return window
  }

  /** When so much of the past has faded that there is room for one more. */
  function freeAgain({ start, count, previous }: Window): number {
    return count >= perMinute
      ? start + minute + minute * (1 - perMinute / count)
      : start + minute * (1 - (perMinute - count) / previous)
  }

  /** The window of a key that has used up its minute. */
  function findFull(key: string, now: number): Window | undefined {
    // Who has done nothing yet needs no entry, and pushes none out.
    if (perMinute === 0 || !windows.has(key)) return undefined
    const window = windowOf(key, now)
    const { start, count, previous } = window
    const isFull = count + (previous * (start + minute - now)) / minute >= perMinute
    return isFull ? window : undefined
  }

  const count = (key: string, now: number): void => {
    if (perMinute > 0) windowOf(key, now).count += 1
  }

  /** The 429 of a key that has used up its minute. */
  function findRefusal(key: string, now: number): PlatformError | undefined {
    const window = findFull(key, now)
    if (!window) return undefined
    const retryAfter = Math.floor((freeAgain(window) - now) / 1_000) + 1
    return new PlatformError('TooManyRequests', details, { retryAfter })
  }

  return {
    findRefusal,
    /** Throws once the key has used up its minute. */
    demand(key: string, now: number): void {
      const refusal = findRefusal(key, now)
      if (refusal) throw refusal
    },
    count,
    /** Counts one more, where there is room for it. */
    take(key: string, now: number): boolean {
      if (findFull(key, now)) return false
      count(key, now)
      return true
    },
  }
}
export type RateLimit = ReturnType<typeof createRateLimit>
