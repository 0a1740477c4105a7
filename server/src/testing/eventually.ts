import { setTimeout as pause } from 'node:timers/promises'

/** Pauses between polls in milliseconds; they grow. */
const [firstPause, longestPause] = [5, 250]

interface Options {
  /** In seconds. */
  readonly deadline?: number
}

/**
 * Polls until the check returns something other than false or undefined, and returns that. After the
 * deadline it throws an error that says what was expected.
 */
export async function eventually<Found>(
  what: string,
  check: () => Promise<Found | false | undefined> | Found | false | undefined,
  { deadline = 60 }: Options = {},
): Promise<Found> {
  const end = performance.now() + deadline * 1_000
  for (let wait = firstPause; ; wait = Math.min(wait * 1.3, longestPause)) {
    const found = await check()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`not within ${deadline} s: ${what}`)
    await pause(wait)
  }
}
