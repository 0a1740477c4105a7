import type { CloudAccount } from '@muster/contract'

type Syncing = Pick<CloudAccount, 'sync'>

const whileSyncing = 1_500
const atMostEvery = 3_000
const atLeastEvery = 60_000
/** A due sync starts with a short delay. */
const slack = 1_000

export const isSyncing = ({ sync }: Syncing): boolean => sync.state !== 'idle'

/** Milliseconds until the next request: short while a sync runs, otherwise when the next one is due. */
export function pollingInterval(accounts: readonly Syncing[], now: number): number {
  if (accounts.some(isSyncing)) return whileSyncing
  const waits = accounts.flatMap(({ sync }) =>
    sync.next_at === null ? [] : [Date.parse(sync.next_at) + slack - now],
  )
  return Math.min(atLeastEvery, Math.max(atMostEvery, Math.min(...waits)))
}
