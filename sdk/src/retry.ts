import { ApiError, ConnectionError } from './errors.ts'
import { sleep as pause, type Sleep } from './sleep.ts'

export interface RetryOptions {
  /**
   * How often a request is sent again at most, after a status of 429, 502, 503 or 504 or a lost connection.
   * Default: 3. Only requests that are safe to repeat: reads, PUT, DELETE, and actions with an `Idempotency-Key`.
   */
  readonly retries?: number
  /** Waits between requests. Replace it in tests. */
  readonly sleep?: Sleep
}

const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** In milliseconds. */
const firstDelay = 500
const maxDelay = 10_000
/** A server that wants clients to stay away for longer is not waited for. */
const maxRetryAfter = 60_000

/** Whether the same request may succeed later. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && transientStatuses.has(error.status))

/** With jitter, so that many clients do not return at the same moment. Undefined: it is too long. */
function delayAfter(error: unknown, failures: number): number | undefined {
  const backoff = Math.min(maxDelay, firstDelay * 2 ** failures)
  const jitter = Math.random() * backoff
  const retryAfter = error instanceof ApiError ? error.retryAfter : undefined
  if (retryAfter === undefined) return (backoff + jitter) / 2
  return retryAfter * 1_000 > maxRetryAfter ? undefined : retryAfter * 1_000 + jitter / 2
}

/** Repeats an attempt that failed with an error for which `isRepeatable` is true. */
export type Retry = <Result>(
  attempt: () => Promise<Result>,
  isRepeatable: (error: unknown) => boolean,
  signal?: AbortSignal,
) => Promise<Result>

export const createRetry =
  ({ retries = 3, sleep = pause }: RetryOptions): Retry =>
  async (attempt, isRepeatable, signal) => {
    for (let failures = 0; ; failures += 1) {
      try {
        return await attempt()
      } catch (error) {
        const isOver = failures >= retries || !isRepeatable(error)
        const delay = isOver ? undefined : delayAfter(error, failures)
        if (delay === undefined) throw error
        await sleep(delay, signal)
      }
    }
  }
