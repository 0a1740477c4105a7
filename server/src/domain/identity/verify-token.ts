import type { IdentityVersion, TokenStore } from './ports.ts'
import { createCache, type CacheMemory } from '../cache.ts'
import type { Clock } from '../clock.ts'
import { createPrincipal, type Principal } from './principal.ts'
import { currentScope } from './token-scope.ts'
import { isActive, type FindUserStatus } from './user-status.ts'
import { tokenId } from './token-secret.ts'

interface Dependencies {
  readonly tokens: TokenStore
  readonly findUserStatus: FindUserStatus
  readonly identityVersion: IdentityVersion
  readonly clock: Clock
  readonly memory: CacheMemory
}

/** Bytes of a principal. It shares most of its objects with the cached user. */
const principalSize = 1_000

/** Finds the user and the permissions of a token; undefined for an invalid token. */
export function createVerifyToken({
  tokens,
  findUserStatus,
  identityVersion,
  clock,
  memory,
}: Dependencies) {
  // By the secret itself, because hashing it is the slowest step of a verification.
  const principals = createCache<string, number, Principal>(memory, 'tokens', () => principalSize)

  async function load(secret: string): Promise<Principal | undefined> {
    const id = tokenId(secret)
    const token = id === undefined ? undefined : await tokens.find(id)
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
    const principal = principals.get(secret, identityVersion.current())
    return principal && isAlive(principal, clock()) ? principal : undefined
  }

  async function verifyToken(secret: string): Promise<Principal | undefined> {
    const version = identityVersion.current()
    const principal =
      principals.get(secret, version) ??
      (await principals.load(secret, version, () => load(secret)))
    return principal && isAlive(principal, clock()) ? principal : undefined
  }

  return Object.assign(verifyToken, { findKnown })
}
export type VerifyToken = ReturnType<typeof createVerifyToken>
