import { unavailable } from './errors.ts'

/** In milliseconds. */
const grace = 200

/**
 * Ends what waits for a database that answers nobody. A statement may take long, for example a commit of
 * many servers, but no request waits for it longer than `timeout` while nothing else is answered either.
 */
export function createSilenceGuard(answeredAt: () => number, timeout: number) {
  return async function guard<Result>(work: Promise<Result>, since: number): Promise<Result> {
    let timer: NodeJS.Timeout | undefined
    let isLast = false
    const silence = new Promise<never>((_, reject) => {
      const check = () => {
        const rest = Math.max(since, answeredAt()) + timeout - performance.now()
        if (rest <= 0 && isLast) return reject(unavailable(new Error('nothing is answered')))
        // A busy process may have answers that it has not read yet.
        isLast = rest <= 0
        timer = setTimeout(check, isLast ? grace : rest)
      }
      check()
    })
    try {
      return await Promise.race([work, silence])
    } finally {
      clearTimeout(timer)
    }
  }
}
export type SilenceGuard = ReturnType<typeof createSilenceGuard>
