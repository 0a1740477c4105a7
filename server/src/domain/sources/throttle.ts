import { setTimeout as pause } from 'node:timers/promises'

/** A rate limit per second, with a burst of one second's requests. */
export function createThrottle(perSecond: number, clock: () => number = () => performance.now()) {
  const interval = 1_000 / perSecond
  let next = clock() - 1_000

  return async function throttle(): Promise<void> {
    const now = clock()
    next = Math.max(next + interval, now - 1_000)
    if (next > now) await pause(next - now)
  }
}
