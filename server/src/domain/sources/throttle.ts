import { setTimeout as pause } from 'node:timers/promises'

/** Lets so many pass in a second, with a second's worth at once to begin with. */
export function createThrottle(perSecond: number, clock: () => number = () => performance.now()) {
  const interval = 1_000 / perSecond
  let next = clock() - 1_000

  return async function throttle(): Promise<void> {
    const now = clock()
    next = Math.max(next + interval, now - 1_000)
    if (next > now) await pause(next - now)
  }
}
