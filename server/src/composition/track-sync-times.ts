import { timestamp } from '../domain/timestamp.ts'
import type { LastSyncTimes } from '../domain/inventory/last-sync-times.ts'
import type { AccountStore } from '../domain/sources/ports.ts'

const step = 1_000

/** Keeps up with when accounts were last synced, whichever process did it. */
export function trackSyncTimes(accounts: Pick<AccountStore, 'syncedAt'>) {
  let syncTimes: ReadonlyMap<string, number> = new Map()
  let version = 0
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const isSame = (fresh: ReadonlyMap<string, number>) =>
    fresh.size === syncTimes.size && [...fresh].every(([id, time]) => syncTimes.get(id) === time)

  /** What is known stays when the storage does not answer: it only gets older. */
  async function look(): Promise<void> {
    try {
      const fresh = await accounts.syncedAt()
      if (!isSame(fresh)) {
        syncTimes = fresh
        version += 1
      }
    } catch {
      // Asked again with the next step.
    }
    if (!isStopped) timer = setTimeout(look, step).unref()
  }
  const underWay = look()

  const syncAges: LastSyncTimes = {
    of(accountId) {
      const time = syncTimes.get(accountId)
      return time === undefined ? undefined : timestamp(time)
    },
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
