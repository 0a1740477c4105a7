import type { Clock, Directory, News } from './ports.ts'
import type { KnownUser, Standing } from './records.ts'
import { createVersionedCache } from './versioned-cache.ts'

interface Dependencies {
  readonly directory: Directory
  readonly news: News
  readonly clock: Clock
}

/** Reads what a user holds; a user who is disabled, ended or gone has no standing. */
export function createStandings({ directory, news, clock }: Dependencies) {
  const cache = createVersionedCache<Standing>(news, 10_000)

  return async function findStanding(userId: string): Promise<Standing | undefined> {
    const standing = await cache.get(userId, () => directory.loadStanding(userId))
    return standing && isActive(standing, clock()) ? standing : undefined
  }
}
export type FindStanding = ReturnType<typeof createStandings>

export const isActive = ({ user }: Standing, now: number): boolean =>
  user.enabled && user.domain.enabled && (user.expiresAt === null || user.expiresAt > now)

export const knownUser = ({ user }: Standing): KnownUser => ({
  id: user.id,
  name: user.name,
  domainId: user.domain.id,
})
