import { timestamp } from '../domain/timestamp.ts'
import type { LastSyncTimes } from '../domain/inventory/last-sync-times.ts'
import type { AccountStore } from '../domain/sources/ports.ts'

const step = 1_000

/** Polls when accounts were last synced, by any process. */
export function trackSyncTimes(accounts: Pick<AccountStore, 'syncedAt'>) {
  let syncTimes: ReadonlyMap<string, number> = new Map()
  let texts: ReadonlyMap<string, string> = new Map()
  let version = 0
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const isSame = (fresh: ReadonlyMap<string, number>) =>
    fresh.size === syncTimes.size && [...fresh].every(([id, time]) => syncTimes.get(id) === time)

  /** If the storage does not answer, the last known times stay. */
  async function look(): Promise<void> {
    try {
      const fresh = await accounts.syncedAt()
      if (!isSame(fresh)) {
        syncTimes = fresh
        texts = new Map([...fresh].map(([id, time]) => [id, timestamp(time)]))
        version += 1
      }
    } catch {
      // Tried again at the next interval.
    }
    if (!isStopped) timer = setTimeout(look, step).unref()
  }
  const underWay = look()

  const syncAges: LastSyncTimes = {
    of: (accountId) => texts.get(accountId),
    version: () => version,
  }
  return {
    ...syncAges,
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}
