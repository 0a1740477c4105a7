import { PlatformError } from '../error.ts'
import type { Caller } from './caller.ts'
import type { Directory, TokenStore } from './ports.ts'
import type { Clock } from '../clock.ts'
import { createPrincipal } from './principal.ts'
import { requireAuthorizedScope } from './authorized-scope.ts'
import { requireNetwork } from './require-network.ts'
import { currentScope } from './token-scope.ts'
import { isActive } from './user-status.ts'

interface Dependencies {
  readonly tokens: TokenStore
  readonly directory: Directory
  readonly clock: Clock
}

/**
 * Reads the caller's token and permissions again. A request body may arrive slowly, and a change must
 * be decided by the permissions of the moment in which it is made.
 */
export function createReauthorizeCaller({ tokens, directory, clock }: Dependencies) {
  return async function reauthorizeCaller(caller: Caller): Promise<Caller> {
    const now = clock()
    const token = await tokens.find(caller.principal.token.id)
    const userStatus = token && (await directory.loadUserStatus(token.userId))
    const isAlive = token && userStatus && isActive(userStatus, now)
    const scope = isAlive && currentScope(token.scope, userStatus)
    const principal = scope && createPrincipal(token, userStatus, scope)
    if (!principal || principal.token.expiresAt <= now) {
      throw new PlatformError(
        'UnauthorizedError',
        'The token in X-Auth-Token is no longer valid. Log in again.',
      )
    }
    requireNetwork(principal, caller.origin.ip)
    return { ...caller, principal, authorizedScope: requireAuthorizedScope(principal, caller.need) }
  }
}
export type ReauthorizeCaller = ReturnType<typeof createReauthorizeCaller>
