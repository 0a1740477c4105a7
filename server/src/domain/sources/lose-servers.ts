import type { AccountFence } from '../inventory/ports.ts'
import type { Account } from './account.ts'
import type { ChangeHeldServers } from './change-held-servers.ts'

const unknown = { status: 'unknown', host_service_status: 'offline' } as const

/**
 * Says of the servers of an account whose source has been silent for too long that nobody knows how
 * they are. What was said of them is forgotten, so that the next word is news.
 */
export const createLoseServers =
  (changeHeldServers: ChangeHeldServers) =>
  (account: Account, fence: AccountFence): Promise<number> =>
    changeHeldServers(account, fence, {
      change: () => ({ changes: unknown, factsDigest: '' }),
      resight: (_server, before) => ({ ...before, digest: '' }),
    })
export type LoseServers = ReturnType<typeof createLoseServers>
