import type { Server } from '@muster/contract'
import type { AttachedAccount } from '../sources/account.ts'
import { referenceOf } from '../sources/server-reference.ts'
import type { SyncClient } from '../sources/sync-client.ts'

/** After this time without an answer, the source is contacted before an action is accepted. */
export const longestSilence = 60_000

interface Dependencies {
  readonly probe: SyncClient['probe']
  readonly clock: () => number
}

/** Throws a 503 if a source has not answered for a while and does not answer now. */
export function createRequireAnswer({ probe, clock }: Dependencies) {
  const answeredAt = new Map<string, number>()
  const probing = new Map<string, Promise<void>>()

  return async function requireAnswer(
    { account, sync }: AttachedAccount,
    server: Server,
  ): Promise<void> {
    const { id } = account
    const lastAnswer = Math.max(sync.answered_at, answeredAt.get(id) ?? 0)
    if (clock() - lastAnswer < longestSilence) return
    // Requests that come together share one attempt.
    let attempt = probing.get(id)
    if (!attempt) {
      attempt = probe(id, referenceOf(server))
        .then(() => void answeredAt.set(id, clock()))
        .finally(() => probing.delete(id))
      probing.set(id, attempt)
    }
    await attempt
  }
}
export type RequireAnswer = ReturnType<typeof createRequireAnswer>
