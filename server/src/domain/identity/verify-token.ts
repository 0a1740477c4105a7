import { LRUCache } from 'lru-cache'
import type { IdentityVersion, TokenStore } from './ports.ts'
import type { Clock } from '../clock.ts'
import { createPrincipal, type Principal } from './principal.ts'
import { currentScope } from './scope.ts'
import { isActive, type FindUserStatus } from './user-status.ts'
import { tokenId } from './token-secret.ts'
import { createVersionedCache } from './versioned-cache.ts'

interface Dependencies {
  readonly tokens: TokenStore
  readonly findUserStatus: FindUserStatus
  readonly identityVersion: IdentityVersion
  readonly clock: Clock
}

/** Finds the user and the permissions of a token; undefined for an invalid token. */
export function createVerifyToken({
  tokens,
  findUserStatus,
  identityVersion,
  clock,
}: Dependencies) {
  const principals = createVersionedCache<Principal>(identityVersion, 50_000)
  // Cached because hashing the secret is the slowest step of a verification.
  const ids = new LRUCache<string, string>({ maxSize: 10_000, sizeCalculation: () => 1 })

  async function load(id: string): Promise<Principal | undefined> {
    const token = await tokens.find(id)
    if (!token) return undefined
    const userStatus = await findUserStatus(token.userId)
    const scope = userStatus && currentScope(token.scope, userStatus)
    return scope && createPrincipal(token, userStatus, scope)
  }

  /** Checked at each use: expiry changes no version, so it does not invalidate the cache. */
  const isAlive = ({ token, userStatus }: Principal, now: number) =>
    token.expiresAt > now && isActive(userStatus, now)

  /** The cached principal of a token, without reading the database. */
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
