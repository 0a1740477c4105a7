import { isDeepStrictEqual } from 'node:util'
import type { Server } from '@muster/contract'
import type { ChangeServers } from '../inventory/change-servers.ts'
import { withNotes } from '../inventory/metadata.ts'
import type { AccountFence, ServerWriter, Sighting } from '../inventory/ports.ts'
import type { Account } from './account.ts'
import type { ChangeAccountServers } from './change-account-servers.ts'
import type { SightingStore } from './ports.ts'

interface Dependencies {
  readonly changeServers: ChangeServers
  readonly sightings: Pick<SightingStore, 'accountsSeeing'>
  readonly serverWriter: Pick<ServerWriter, 'write'>
}

const isPartOf = (changes: Partial<Server>, server: Server) =>
  Object.entries(changes).every(([key, value]) =>
    isDeepStrictEqual(value, server[key as keyof Server]),
  )

interface Mark {
  /** Stored as the last report of the account about the server. */
  readonly sighting: Sighting
  /** Added to the server's `sys:` metadata. */
  readonly notes?: Readonly<Record<string, string>>
  /** The new status of its host; absent for no change. */
  readonly host?: 'offline'
}

/** Sets single servers of an account to `unknown`. All other fields keep their last value. */
export function createMarkServersUnknown({ changeServers, sightings, serverWriter }: Dependencies) {
  /** Returns how many servers changed. All sightings are stored. */
  return async function markServersUnknown(
    account: Account,
    fence: AccountFence,
    marks: readonly Mark[],
  ): Promise<number> {
    if (marks.length === 0) return 0
    const byId = new Map(marks.map((mark) => [mark.sighting.serverId, mark]))
    const sightingsOf = (ids: Iterable<string>) => ({
      accountId: account.id,
      fence,
      lost: [],
      seen: [...ids].flatMap((id) => byId.get(id)?.sighting ?? []),
    })
    const seeing = await sightings.accountsSeeing([...byId.keys()])
    let written = new Set<string>()
    const count = await changeServers({
      ids: [...byId.keys()],
      change({ id, server }) {
        const holder = server.account_id
        const isHeldElsewhere =
          holder !== account.id &&
          seeing.get(id)?.some(({ accountId }) => accountId === holder) === true
        const { notes = {}, host = server.host_service_status } = byId.get(id) ?? {}
        const changes = {
          status: 'unknown',
          host_service_status: host,
          metadata: withNotes(server.metadata, notes),
        }
        if (isHeldElsewhere || isPartOf(changes, server)) return undefined
        return {
          changes,
          // The empty digest makes the next scan that can read the server write it again.
          factsDigest: '',
        }
      },
      sightingsOf(changed) {
        written = new Set(changed.map(({ id }) => id))
        return sightingsOf(written)
      },
    })
    const others = [...byId.keys()].filter((id) => !written.has(id))
    if (others.length > 0) await serverWriter.write([], [], sightingsOf(others))
    return count
  }
}
export type MarkServersUnknown = ReturnType<typeof createMarkServersUnknown>

/**
 * Sets all servers of an account to `unknown`, because its source does not answer. The empty digest
 * makes the next scan write them again.
 */
export const createMarkAllUnknown =
  (changeAccountServers: ChangeAccountServers) =>
  (account: Account, fence: AccountFence): Promise<number> =>
    changeAccountServers(account, fence, {
      change: () => ({
        changes: { status: 'unknown', host_service_status: 'offline' },
        factsDigest: '',
      }),
      sightingAfter: (_server, before) => ({ ...before, digest: '' }),
    })
export type MarkAllUnknown = ReturnType<typeof createMarkAllUnknown>
