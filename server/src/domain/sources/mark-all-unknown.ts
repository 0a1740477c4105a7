import type { AccountFence } from '../inventory/ports.ts'
import type { Account } from './account.ts'
import type { ChangeAccountServers } from './change-account-servers.ts'

const unknown = { status: 'unknown', host_service_status: 'offline' } as const

/**
 * Says of the servers of an account whose source has been silent for too long that nobody knows how
 * they are. What was said of them is forgotten, so that the next word is news.
 */
export const createMarkAllUnknown =
  (changeAccountServers: ChangeAccountServers) =>
  (account: Account, fence: AccountFence): Promise<number> =>
    changeAccountServers(account, fence, {
      change: () => ({ changes: unknown, factsDigest: '' }),
      resight: (_server, before) => ({ ...before, digest: '' }),
    })
export type MarkAllUnknown = ReturnType<typeof createMarkAllUnknown>
