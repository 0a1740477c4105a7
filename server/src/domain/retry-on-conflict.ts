import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from './error.ts'

interface Retry {
  readonly maxAttempts: number
  /** The first delay in milliseconds, before it is doubled and randomised. */
  readonly minDelay: number
  readonly maxDelay: number
  /** What is thrown after the last attempt. */
  readonly exhausted: () => unknown
}

const optimisticLock: Retry = {
  maxAttempts: 20,
  minDelay: 1,
  maxDelay: 100,
  exhausted: () => conflicted('This resource'),
}

/** The error of a write that lost the race on every attempt. */
export const conflicted = (resource: string) =>
  new PlatformError(
    'ServiceUnavailable',
    `${resource} is being changed by other requests. Try again shortly.`,
    { retryAfter: 1 },
  )

/** Exponential backoff with full jitter, so that writers that collided do not collide again. */
const backoff = (failures: number, { minDelay, maxDelay }: Retry): Promise<void> =>
  pause(Math.random() * Math.min(maxDelay, minDelay * 2 ** failures))

/**
 * Runs an optimistic read-decide-write until it succeeds. An attempt that lost against another
 * writer resolves to undefined, and the next one decides on what that writer left.
 */
export async function retryOnConflict<Result>(
  attempt: () => Promise<Result | undefined>,
  options: Partial<Retry> = {},
): Promise<Result> {
  const retry = { ...optimisticLock, ...options }
  for (let failures = 0; failures < retry.maxAttempts; failures += 1) {
    if (failures > 0) await backoff(failures, retry)
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw retry.exhausted()
}
