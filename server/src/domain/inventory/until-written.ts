import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from '../error.ts'

const tries = 20
const longest = 100

/** Each time longer and by chance, so that those who write the same thing get past each other. */
const giveWay = (attempt: number): Promise<void> =>
  pause(Math.random() * Math.min(longest, 2 ** attempt))

/** Decides and writes; where others were quicker (undefined), decides again on what they wrote. */
export async function untilWritten<Answer>(
  decideAndWrite: () => Promise<Answer | undefined>,
  what: 'server' | 'servers' | 'view',
): Promise<Answer> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (attempt > 0) await giveWay(attempt)
    const answer = await decideAndWrite()
    if (answer !== undefined) return answer
  }
  const be = what === 'servers' ? 'are' : 'is'
  throw new PlatformError('ServiceUnavailable', `The ${what} ${be} being changed by others.`, {
    retryAfter: 1,
  })
}
