import { PlatformError } from '../error.ts'
import type { Caller } from './caller.ts'
import type { Clock, Directory, TokenStore } from './ports.ts'
import { createPrincipal } from './principal.ts'
import { demandReach } from './reach.ts'
import { holdScope } from './scope.ts'
import { isActive } from './standings.ts'

interface Dependencies {
  readonly tokens: TokenStore
  readonly directory: Directory
  readonly clock: Clock
}

/**
 * Reads again who asks and how far they may go. A body may take its time to arrive, and others'
 * changes come first: whoever changes something is judged by what holds at that moment.
 */
export function createRenewCaller({ tokens, directory, clock }: Dependencies) {
  return async function renewCaller(caller: Caller): Promise<Caller> {
    const now = clock()
    const token = await tokens.find(caller.principal.token.id)
    const standing = token && (await directory.loadStanding(token.userId))
    const isAlive = token && standing && token.expiresAt > now && isActive(standing, now)
    const scope = isAlive && holdScope(token.scope, standing)
    if (!scope) {
      throw new PlatformError('UnauthorizedError', 'The token in X-Auth-Token is no longer valid.')
    }
    const principal = createPrincipal(token, standing, scope)
    return { ...caller, principal, reach: demandReach(principal, caller.need) }
  }
}
export type RenewCaller = ReturnType<typeof createRenewCaller>
