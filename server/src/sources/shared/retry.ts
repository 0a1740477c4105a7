import { setTimeout as pause } from 'node:timers/promises'
import { abortedError } from '../../domain/sources/deadline.ts'
import { TransientError } from './status-error.ts'

const attempts = 3
const firstDelay = 200
/** A source that requests a longer delay is contacted again at the account's next sync. */
const longestDelay = 5_000

/** Repeats a request after a `TransientError`, with exponential backoff. */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  /** What is requested, for the error after an abort. */
  target: string,
  signal: AbortSignal,
): Promise<Result> {
  for (let count = 1; ; count += 1) {
    if (signal.aborted) throw abortedError(signal, target)
    try {
      return await attempt()
    } catch (error) {
      if (signal.aborted) continue
      if (!(error instanceof TransientError) || count === attempts) throw error
      if (error.retryAfter > longestDelay) throw error
      // Random jitter, so that retries of several accounts are spread out.
      const backoff = firstDelay * 2 ** (count - 1) * (0.5 + Math.random() / 2)
      const delay = Math.max(backoff, error.retryAfter)
      await pause(delay, undefined, { signal }).catch(() => {})
    }
  }
}
