import { LRUCache } from 'lru-cache'
import { PlatformError } from './error.ts'

const minute = 60_000
const maxKeys = 100_000

interface Window {
  readonly start: number
  count: number
  /** The count of the previous minute. */
  readonly previous: number
}

/** A sliding-window rate limit per key: the previous minute counts by the share that is still in the window. */
export function createRateLimit(perMinute: number, details: string) {
  // Bounded by size rather than by number: the latter reserves memory for all entries at once.
  const windows = new LRUCache<string, Window>({ maxSize: maxKeys, sizeCalculation: () => 1 })

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

  /** When the window has room for one more. */
  function freeAt({ start, count, previous }: Window): number {
    return count >= perMinute
      ? start + minute + minute * (1 - perMinute / count)
      : start + minute * (1 - (perMinute - count) / previous)
  }

  /** The window of a key that has reached the limit. */
  function findFull(key: string, now: number): Window | undefined {
    // A key without events needs no entry, which could evict another.
    if (perMinute === 0 || !windows.has(key)) return undefined
    const window = windowOf(key, now)
    const { start, count, previous } = window
    const isFull = count + (previous * (start + minute - now)) / minute >= perMinute
    return isFull ? window : undefined
  }

  const count = (key: string, now: number): void => {
    if (perMinute > 0) windowOf(key, now).count += 1
  }

  /** The 429 of a key that has reached the limit. */
  function findRefusal(key: string, now: number): PlatformError | undefined {
    const window = findFull(key, now)
    if (!window) return undefined
    const retryAfter = Math.floor((freeAt(window) - now) / 1_000) + 1
    return new PlatformError('TooManyRequests', details, { retryAfter })
  }

  return {
    findRefusal,
    /** Throws if the key has reached the limit. */
    demand(key: string, now: number): void {
      const refusal = findRefusal(key, now)
      if (refusal) throw refusal
    },
    count,
    /** Counts one more if the limit allows it. */
    take(key: string, now: number): boolean {
      if (findFull(key, now)) return false
      count(key, now)
      return true
    },
  }
}
export type RateLimit = ReturnType<typeof createRateLimit>
