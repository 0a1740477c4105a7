import { unavailable } from './errors.ts'

/** In milliseconds. Longer than the time between two polls. */
const grace = 1_000

/**
 * Ends what waits for a database that answers nobody. A statement may take long, for example a commit of
 * many servers, but no request waits for it longer than `timeout` while nothing else is answered either.
 */
export function createSilenceGuard(polledAt: () => number, timeout: number) {
  let answeredAt = Number.NEGATIVE_INFINITY
  return async function guard<Result>(
    work: Promise<Result>,
    since: number,
    /** Whether a result comes from the database. A free connection does not. */
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
