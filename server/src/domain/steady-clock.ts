import type { Clock } from './clock.ts'
import type { ClockReading } from './health.ts'

const minute = 60_000
const maxAhead = 15 * minute

const exactEnough = 50
const maxReadingAge = 10_000

/** A reading that took long is inexact, so the one before it is continued for some seconds. */
export const moreExact = (reading: ClockReading, before: ClockReading | undefined): ClockReading =>
  !before ||
  reading.uncertainty <= Math.max(exactEnough, before.uncertainty) ||
  reading.takenAt - before.takenAt > maxReadingAge
    ? reading
    : before

/**
 * A clock that does not go back, so that nothing that has expired becomes valid again. It only follows
 * a step back of more than 15 minutes: that corrects a wrong clock, whose time must not be kept.
 * Processes that share a database use its time, so that they agree when something expires.
 */
export function createSteadyClock(
  readShared: () => ClockReading | undefined,
  warn: (message: string) => void,
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
    const steady = latest + (at - takenAt) / 2
    const ahead = steady - time
    if (ahead > maxAhead) {
      warn(
        `the clock was set back by ${Math.round(ahead / minute)} minutes; times recorded before may be wrong`,
      )
      latest = time
    } else latest = Math.max(time, steady)
    takenAt = at
    return Math.floor(latest)
  }
}
