import type { CloudAccount } from '@muster/contract'

type Synced = Pick<CloudAccount, 'servers' | 'sync'>

/** How far a running sync is, from 0 to 1; undefined if the total is unknown. */
export function shareOf({ servers, sync }: Synced): number | undefined {
  const knowsHowMany = sync.finished_at !== null && servers > 0
  return knowsHowMany ? Math.min(1, sync.seen / servers) : undefined
}
