import type { AccountFence } from '../inventory/ports.ts'
import type { Account } from './account.ts'
import type { AttendAccount } from './attend-account.ts'
import { inBatches } from './in-batches.ts'
import type { AccountStore, SightingStore } from './ports.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly sightings: SightingStore
  readonly attendAccount: AttendAccount
}

/** Lets the servers of an account go that was deleted, and then the account itself. */
export function createEvictServers({ accounts, sightings, attendAccount }: Dependencies) {
  return async function evictServers(account: Account, fence: AccountFence): Promise<void> {
    const attendant = await attendAccount(account, fence)
    const known = await sightings.of(account.id)
    for (const ids of inBatches([...known.keys()])) {
      await attendant.record([], ids, known)
    }
    await accounts.remove(account.id)
  }
}
export type EvictServers = ReturnType<typeof createEvictServers>
