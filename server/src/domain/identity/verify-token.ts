import { LRUCache } from 'lru-cache'
import type { Clock, News, TokenStore } from './ports.ts'
import { createPrincipal, type Principal } from './principal.ts'
import { holdScope } from './scope.ts'
import { isActive, type FindStanding } from './standings.ts'
import { tokenId } from './token-secret.ts'
import { createVersionedCache } from './versioned-cache.ts'

interface Dependencies {
  readonly tokens: TokenStore
  readonly findStanding: FindStanding
  readonly news: News
  readonly clock: Clock
}

/** Finds out who a token speaks for now; undefined for any token that is no good. */
export function createVerifyToken({ tokens, findStanding, news, clock }: Dependencies) {
  const principals = createVersionedCache<Principal>(news, 50_000)
  // What a secret's id is never changes, and making it costs more than all the rest.
  const ids = new LRUCache<string, string>({ max: 10_000 })

  async function load(id: string): Promise<Principal | undefined> {
    const token = await tokens.find(id)
    if (!token) return undefined
    const standing = await findStanding(token.userId)
    const scope = standing && holdScope(token.scope, standing)
    return scope && createPrincipal(token, standing, scope)
  }

  /** Time passes without news, so what depends on the clock is asked at each use. */
  const isAlive = ({ token, standing }: Principal, now: number) =>
    token.expiresAt > now && isActive(standing, now)

  /** Who a secret speaks for, where that is known at this moment without asking anybody. */
  function findKnown(secret: string): Principal | undefined {
    const id = ids.get(secret)
    const principal = id === undefined ? undefined : principals.peek(id)
    return principal && isAlive(principal, clock()) ? principal : undefined
  }

  async function verifyToken(secret: string): Promise<Principal | undefined> {
    const id = ids.get(secret) ?? tokenId(secret)
    if (id === undefined) return undefined
    const principal = principals.peek(id) ?? (await principals.get(id, () => load(id)))
    if (principal) ids.set(secret, id)
    return principal && isAlive(principal, clock()) ? principal : undefined
  }

  return Object.assign(verifyToken, { findKnown })
}
export type VerifyToken = ReturnType<typeof createVerifyToken>
