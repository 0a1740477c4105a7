import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify, type Options } from '@node-rs/argon2'
import { PlatformError } from '../domain/error.ts'
import type { Compare, PasswordHasher } from '../domain/identity/ports.ts'
import { createTurnstile } from './turnstile.ts'

/** OWASP's floor; argon2id is the library's own choice. */
const cost: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const longestQueue = 64

/**
 * argon2id in a bounded queue. One turn more than there are cores, since a turn also waits for the
 * database; never more than the four threads that Node hashes on.
 */
export function createPasswordHasher(): PasswordHasher & { readonly waiting: () => number } {
  const turnstile = createTurnstile({
    abreast: Math.min(availableParallelism() + 1, 4),
    longestQueue,
    refuse: () =>
      new PlatformError('ServiceUnavailable', 'Too many logins at once: try again shortly.', {
        retryAfter: 1,
      }),
  })
  // What an account without a password is compared with, so that it costs what any other costs.
  const decoy = hash(randomBytes(32), cost)

  const compare: Compare = async (stored, password) => {
    const matches = await verify(stored ?? (await decoy), password)
    return matches && stored !== null
  }

  return {
    hash: (password) => turnstile.pass(() => hash(password, cost)),
    inTurn: (work) => turnstile.pass(() => work(compare)),
    waiting: turnstile.waiting,
  }
}
