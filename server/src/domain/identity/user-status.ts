import type { Directory, IdentityVersion } from './ports.ts'
import { createCache, type CacheMemory } from '../cache.ts'
import type { Clock } from '../clock.ts'
import type { UserStatus } from './records.ts'
import type { UserSummary } from '../user-summary.ts'

interface Dependencies {
  readonly directory: Directory
  readonly identityVersion: IdentityVersion
  readonly clock: Clock
  readonly memory: CacheMemory
}

const sizeOf = ({ assignments }: UserStatus) => 1_000 + 500 * assignments.length

/** Reads the status of a user; undefined for one that is disabled, expired or deleted. */
export function createFindUserStatus({ directory, identityVersion, clock, memory }: Dependencies) {
  const users = createCache<string, number, UserStatus>(memory, 'users', sizeOf)

  return async function findUserStatus(userId: string): Promise<UserStatus | undefined> {
    const userStatus = await users.load(userId, identityVersion.current(), () =>
      directory.loadUserStatus(userId),
    )
    return userStatus && isActive(userStatus, clock()) ? userStatus : undefined
  }
}
export type FindUserStatus = ReturnType<typeof createFindUserStatus>

export const isActive = ({ user }: UserStatus, now: number): boolean =>
  user.enabled && user.domain.enabled && (user.expiresAt === null || user.expiresAt > now)

export const summarizeUser = ({ user }: UserStatus): UserSummary => ({
  id: user.id,
  name: user.name,
  domainId: user.domain.id,
})
