import type { Account } from './account.ts'
import type { Duplicate } from './warning-texts.ts'
import type { AccountStore, SightingStore } from './ports.ts'
import type { SourceKind } from './source.ts'

interface Dependencies {
  readonly accounts: Pick<AccountStore, 'all'>
  readonly sightings: Pick<SightingStore, 'activeElsewhere'>
  readonly loadKind: (provider: string) => Promise<Pick<SourceKind, 'isOnOneHost'>>
}

/**
 * Finds servers that run on two hosts at once. During a migration both hosts briefly report the
 * guest, so a pair counts only if both accounts still report it after a complete scan of each.
 */
export function createFindDuplicates({ accounts, sightings, loadKind }: Dependencies) {
  return function createAccountCheck(account: Account, hasWarning: boolean) {
    /** When each pair was first found, by server and other account. */
    let foundAt = new Map<string, number>()
    /** After a restart a warning stays until a scan finds nothing. */
    let isConfirmedBefore = hasWarning

    return async function findDuplicates(now: number): Promise<readonly Duplicate[]> {
      const { isOnOneHost } = await loadKind(account.provider)
      if (isOnOneHost !== true) return []
      const pairs = await sightings.activeElsewhere(account.id)
      const earlier = foundAt
      foundAt = new Map()
      const duplicates: Duplicate[] = []
      const others =
        pairs.length === 0
          ? new Map<string, never>()
          : new Map((await accounts.all()).map((other) => [other.account.id, other] as const))
      for (const { serverId, name, otherAccountId, otherName } of pairs) {
        const other = others.get(otherAccountId)
        if (!other?.account.enabled || other.account.isBeingDeleted || other.sync.is_unreachable)
          continue
        const key = `${serverId} ${otherAccountId}`
        const first = earlier.get(key) ?? (isConfirmedBefore ? -Infinity : now)
        foundAt.set(key, first)
        const { finished_at, duration_ms } = other.sync
        const isConfirmed = first < now && (finished_at ?? 0) - duration_ms > first
        if (isConfirmed) duplicates.push({ name, otherName, otherAccount: other.account.name })
      }
      isConfirmedBefore = false
      return duplicates
    }
  }
}
export type FindDuplicates = ReturnType<typeof createFindDuplicates>
