import type { Clock } from './clock.ts'
import type { ClockReading } from './health.ts'

/**
 * A clock that never goes back, so that nothing that has expired becomes valid again. Processes that
 * share a database use its time, so that they agree when something expires.
 */
export function createSteadyClock(
  readShared: () => ClockReading | undefined,
  readOwn: Clock = () => Date.now(),
  monotonic: () => number = () => performance.now(),
): Clock {
  let latest = 0
  let takenAt = 0
  return () => {
    const shared = readShared()
    const at = monotonic()
    const time = shared ? shared.time + at - shared.takenAt : readOwn()
    // Ahead of a clock that was set back, time passes at half its speed: limits per minute need time
    // to pass, and the clock has to catch up.
    latest = Math.max(time, latest + (at - takenAt) / 2)
    takenAt = at
    return Math.floor(latest)
  }
}
