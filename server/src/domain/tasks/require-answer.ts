import type { Server } from '@muster/contract'
import { isDegraded, type AttachedAccount } from '../sources/account.ts'
import { referenceOf } from '../sources/server-reference.ts'
import type { SyncClient } from '../sources/sync-client.ts'

/** After this time without an answer, the source is contacted before an action is accepted. */
export const longestSilence = 60_000

interface Dependencies {
  readonly probe: SyncClient['probe']
  readonly clock: () => number
}

/**
 * Throws a 503 if a source has not answered for a while and does not answer now. Regions fail alone, so each
 * region is contacted separately, even if others answer.
 */
export function createRequireAnswer({ probe, clock }: Dependencies) {
  const answeredAt = new Map<string, number>()
  const probing = new Map<string, Promise<void>>()

  return async function requireAnswer(
    { account, sync }: AttachedAccount,
    server: Server,
  ): Promise<void> {
    const reference = referenceOf(server)
    const key = JSON.stringify([account.id, reference.regionId])
    const mayBeSilent = isDegraded(sync) || server.status === 'unknown'
    const lastAnswer = Math.max(mayBeSilent ? 0 : sync.answered_at, answeredAt.get(key) ?? 0)
    if (clock() - lastAnswer < longestSilence) return
    // Requests that come together share one attempt.
    let attempt = probing.get(key)
    if (!attempt) {
      attempt = probe(account.id, reference)
        .then(() => void answeredAt.set(key, clock()))
        .finally(() => probing.delete(key))
      probing.set(key, attempt)
    }
    await attempt
  }
}
export type RequireAnswer = ReturnType<typeof createRequireAnswer>
