import type { ChangeServers } from '../inventory/change-servers.ts'
import { withNotes } from '../inventory/metadata.ts'
import type { AccountFence, FleetWriter, Sighting } from '../inventory/ports.ts'
import type { Account } from './account.ts'

interface Dependencies {
  readonly changeServers: ChangeServers
  readonly fleet: Pick<FleetWriter, 'write'>
}

interface Mark {
  /** What is stored as what the account said last of the server. */
  readonly sighting: Sighting
  /** Added to the server's `sys:` metadata. */
  readonly notes?: Readonly<Record<string, string>>
}

/** Sets single servers of an account to `unknown`; all other fields keep their last value. */
export function createMarkUnknown({ changeServers, fleet }: Dependencies) {
  /** Returns how many servers changed: of those that another account holds only the sighting does. */
  return async function markUnknown(
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
    let written = new Set<string>()
    const count = await changeServers({
      ids: [...byId.keys()],
      account: account.name,
      change: ({ id, server }) =>
        server.account_id === account.id
          ? {
              changes: {
                status: 'unknown',
                metadata: withNotes(server.metadata, byId.get(id)?.notes ?? {}),
              },
              // The empty digest makes the next scan that can read the server write it again.
              factsDigest: '',
            }
          : undefined,
      sightingsOf(changed) {
        written = new Set(changed.map(({ id }) => id))
        return sightingsOf(written)
      },
    })
    const others = [...byId.keys()].filter((id) => !written.has(id))
    if (others.length > 0) await fleet.write([], [], sightingsOf(others))
    return count
  }
}
export type MarkUnknown = ReturnType<typeof createMarkUnknown>
