import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify, type Options } from '@node-rs/argon2'
import { createBoundedQueue, type QueueCounts } from '../domain/bounded-queue.ts'
import type { Compare, PasswordHasher } from '../domain/identity/ports.ts'

/** OWASP's minimum. The library's default algorithm is argon2id. */
export const defaultPasswordCost: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export type PasswordCost = Options

/**
 * argon2id in a bounded queue. It runs one more than there are cores, since a login also waits for the
 * database, and at most four, the threads that Node hashes on.
 */
export function createPasswordHasher(
  cost: PasswordCost = defaultPasswordCost,
): PasswordHasher & { readonly counts: () => QueueCounts } {
  const queue = createBoundedQueue({
    name: 'logins',
    capacity: Math.min(availableParallelism() + 1, 4),
    maxWaiting: 64,
  })
  // Compared for users without a password, so that every login takes the same time.
  const decoy = hash(randomBytes(32), cost)

  const compare: Compare = async (stored, password) => {
    const matches = await verify(stored ?? (await decoy), password)
    return matches && stored !== null
  }

  return {
    hash: (password) => queue.run(() => hash(password, cost)),
    inTurn: (work) => queue.run(() => work(compare)),
    counts: queue.counts,
  }
}
