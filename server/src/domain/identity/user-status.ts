import type { Directory, IdentityVersion } from './ports.ts'
import type { Clock } from '../clock.ts'
import type { UserStatus } from './records.ts'
import type { UserSummary } from '../user-summary.ts'
import { createVersionedCache } from './versioned-cache.ts'

interface Dependencies {
  readonly directory: Directory
  readonly identityVersion: IdentityVersion
  readonly clock: Clock
}

/** Reads the status of a user; undefined for one that is disabled, expired or deleted. */
export function createFindUserStatus({ directory, identityVersion, clock }: Dependencies) {
  const cache = createVersionedCache<UserStatus>(identityVersion, 10_000)

  return async function findUserStatus(userId: string): Promise<UserStatus | undefined> {
    const userStatus = await cache.get(userId, () => directory.loadUserStatus(userId))
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
