import { setTimeout as pause } from 'node:timers/promises'
import type { AttachedAccount } from '../domain/sources/account.ts'
import type { SyncClient } from '../domain/sources/sync-client.ts'
import type { AccountStore } from '../domain/sources/ports.ts'

interface Load {
  readonly accounts: Pick<AccountStore, 'all'>
  readonly syncClient: Pick<SyncClient, 'reconcile'>
  /** The accounts whose servers are to come in, as they were before they had to. */
  readonly waiting: readonly AttachedAccount[]
  /** Called with how many have been seen so far. */
  readonly onSeen: (seen: number) => void
  readonly signal: AbortSignal
}

const longestPause = 500
const shortestPause = 20

/** The more has been waited, the less does it matter to hear of the end at once. */
const pauseAfter = (waited: number) => Math.min(Math.max(waited / 10, shortestPause), longestPause)

/**
 * Waits until all that some accounts see is in, for the first time or since they were changed; a
 * sync that fails is tried again by who runs it.
 */
export async function waitForDemo({
  accounts,
  syncClient,
  waiting,
  onSeen,
  signal,
}: Load): Promise<void> {
  const [first] = waiting
  if (!first) return
  const before = new Map(waiting.map(({ account, sync }) => [account.id, sync]))

  function isIn({ account, sync }: AttachedAccount): boolean {
    const old = before.get(account.id)
    // What was taken away or switched off meanwhile is not waited for.
    if (!old || !account.enabled || account.leaving) return true
    return (
      sync.finished_at !== null &&
      sync.finished_at !== old.finished_at &&
      sync.mapped_revision === account.revision
    )
  }

  /** One that is through may have begun anew while others are not. */
  const most = new Map<string, number>()
  const start = performance.now()
  await syncClient.reconcile(first.account.id)
  while (!signal.aborted) {
    const now = (await accounts.all()).filter(({ account }) => before.has(account.id))
    for (const { account, sync } of now) {
      most.set(account.id, Math.max(sync.seen, most.get(account.id) ?? 0))
    }
    onSeen(most.values().reduce((sum, seen) => sum + seen, 0))
    if (now.every(isIn)) return
    await pause(pauseAfter(performance.now() - start), undefined, { signal }).catch(() => {})
  }
}
