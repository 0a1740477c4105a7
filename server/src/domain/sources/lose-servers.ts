import type { ChangeServers } from '../inventory/change-servers.ts'
import type { AccountFence, KeptServer } from '../inventory/ports.ts'
import type { Account } from './account.ts'
import { inBatches } from './in-batches.ts'
import type { SightingStore } from './ports.ts'

interface Dependencies {
  readonly sightings: SightingStore
  readonly changeServers: ChangeServers
}

const batchSize = 500
const unknown = { status: 'unknown', host_service_status: 'offline' } as const

/**
 * Says of the servers of an account whose source has been silent for too long that nobody knows how
 * they are. What was said of them is forgotten, so that the next word is news.
 */
export function createLoseServers({ sightings, changeServers }: Dependencies) {
  return async function loseServers(account: Account, fence: AccountFence): Promise<number> {
    const known = await sightings.of(account.id)
    const change = ({ server }: KeptServer) =>
      server.account_id === account.id ? { changes: unknown, factsDigest: '' } : undefined
    let lost = 0
    for (const ids of inBatches([...known.keys()], batchSize)) {
      lost += await changeServers({
        ids,
        change,
        account: account.name,
        sightingsOf: (changed) => ({
          accountId: account.id,
          fence,
          lost: [],
          seen: changed.map(({ id, project_id }) => ({
            serverId: id,
            digest: '',
            projectId: project_id,
            missed: known.get(id)?.missed ?? 0,
          })),
        }),
      })
    }
    return lost
  }
}
export type LoseServers = ReturnType<typeof createLoseServers>
