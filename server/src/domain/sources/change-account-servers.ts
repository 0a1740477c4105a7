import type { Server } from '@muster/contract'
import type { ChangeServers, ServerChange } from '../inventory/change-servers.ts'
import type { AccountFence, Sighting } from '../inventory/ports.ts'
import type { Account } from './account.ts'
import { chunk } from '../chunk.ts'
import type { SightingStore } from './ports.ts'

interface Dependencies {
  readonly sightings: SightingStore
  readonly changeServers: ChangeServers
}

interface AccountChange {
  readonly change: ServerChange
  /** The sighting to store with a changed server. */
  readonly sightingAfter: (server: Server, before: Sighting) => Sighting
}

/** Changes all servers of an account together with their sightings. Returns how many changed. */
export function createChangeAccountServers({ sightings, changeServers }: Dependencies) {
  return async function changeAccountServers(
    account: Account,
    fence: AccountFence,
    { change, sightingAfter }: AccountChange,
  ): Promise<number> {
    const known = await sightings.of(account.id)
    let count = 0
    for (const ids of chunk(known.keys())) {
      count += await changeServers({
        ids,
        change: (stored) => (stored.server.account_id === account.id ? change(stored) : undefined),
        sightingsOf: (changed) => ({
          accountId: account.id,
          fence,
          lost: [],
          seen: changed.flatMap((server) => {
            const before = known.get(server.id)
            return before ? [sightingAfter(server, before)] : []
          }),
        }),
      })
    }
    return count
  }
}
export type ChangeAccountServers = ReturnType<typeof createChangeAccountServers>
