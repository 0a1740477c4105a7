import type { AccountFence } from '../inventory/ports.ts'
import type { Account } from './account.ts'
import type { OpenScanRecorder } from './record-scan.ts'
import { chunk } from '../chunk.ts'
import type { AccountStore, SightingStore } from './ports.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly sightings: SightingStore
  readonly openScanRecorder: OpenScanRecorder
}

/** Removes the servers of a deleted account, then the account itself. */
export function createEvictServers({ accounts, sightings, openScanRecorder }: Dependencies) {
  return async function evictServers(account: Account, fence: AccountFence): Promise<void> {
    const recorder = await openScanRecorder(account, fence)
    const known = await sightings.of(account.id)
    const held = await sightings.heldUnseen(account.id)
    for (const ids of chunk([...known.keys(), ...held])) {
      await recorder.record([], ids, new Set(ids))
    }
    await accounts.remove(account.id)
  }
}
export type EvictServers = ReturnType<typeof createEvictServers>
