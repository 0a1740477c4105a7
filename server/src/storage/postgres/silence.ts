import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from './errors.ts'

/** In milliseconds. Longer than the time between two polls. */
const grace = 1_000

/**
 * Ends requests that wait for a database that no longer answers. A statement may take long, for example a
 * commit of many servers, but no request waits for it longer than `timeout` while nothing else is answered
 * either.
 */
export function createSilenceGuard(polledAt: () => number, timeout: number) {
  let answeredAt = Number.NEGATIVE_INFINITY
  return async function guard<Result>(
    work: Promise<Result>,
    since: number,
    /** Whether the awaited result comes from the database. Waiting for a free connection does not count. */
    isAnswer = false,
  ): Promise<Result> {
    let timer: NodeJS.Timeout | undefined
    let isLast = false
    const silence = new Promise<never>((_, reject) => {
      const check = () => {
        const rest = Math.max(since, polledAt(), answeredAt) + timeout - performance.now()
        if (rest <= 0 && isLast) return reject(unavailable(new Error('nothing is answered')))
        // A busy process may have answers that it has not read yet.
        isLast = rest <= 0
        timer = setTimeout(check, isLast ? grace : rest)
      }
      check()
    })
    try {
      const result = await Promise.race([work, silence])
      if (isAnswer) answeredAt = performance.now()
      return result
    } finally {
      clearTimeout(timer)
    }
  }
}
export type SilenceGuard = ReturnType<typeof createSilenceGuard>

/**
 * Ends a statement whose connection is lost while others work. Then PostgreSQL waits for a statement,
 * and Muster for the result. The second check is for a result that has just arrived.
 */
export async function endIfLost<Result>(
  work: Promise<Result>,
  isIdle: () => Promise<boolean>,
  timeout: number,
): Promise<Result> {
  const done = new AbortController()
  async function watch(): Promise<never> {
    for (let checks = 0; checks < 2;) {
      await pause(checks === 0 ? timeout : grace, undefined, { signal: done.signal })
      checks = (await isIdle().catch(() => false)) ? checks + 1 : 0
    }
    throw unavailable(new Error('the connection is lost'))
  }
  try {
    return await Promise.race([work, watch()])
  } finally {
    done.abort()
  }
}
