import type { Account } from './account.ts'
import type { AccountStore, SightingStore } from './ports.ts'
import type { Shared } from './warning-texts.ts'

interface Dependencies {
  readonly accounts: Pick<AccountStore, 'all'>
  readonly sightings: Pick<SightingStore, 'countShared'>
}

/** Finds other accounts that report servers of an account as well. */
export const createFindShared =
  ({ accounts, sightings }: Dependencies) =>
  async ({ id, provider }: Account): Promise<readonly Shared[]> => {
    const others = (await accounts.all())
      .map(({ account }) => account)
      .filter((other) => other.id !== id && other.provider === provider && !other.isBeingDeleted)
    // The count reads all servers of the account.
    if (others.length === 0) return []
    const counts = await sightings.countShared(id)
    return others.flatMap((other) => {
      const servers = counts.get(other.id) ?? 0
      return servers === 0 ? [] : [{ account: other.name, servers }]
    })
  }
export type FindShared = ReturnType<typeof createFindShared>
