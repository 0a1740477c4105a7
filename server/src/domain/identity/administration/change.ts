import { PlatformError } from '../../error.ts'
import type { Caller } from '../caller.ts'
import type { Clock, Directory, TokenStore } from '../ports.ts'
import { createPrincipal } from '../principal.ts'
import { demandReach } from '../reach.ts'
import { holdScope } from '../scope.ts'
import { isActive } from '../standings.ts'
import type { Decision, Registry } from './registry.ts'

/** Decides with the caller's rights as they are at that moment, whatever they were when the request came. */
export type Change = <Answer>(
  caller: Caller,
  decide: (caller: Caller) => Promise<Decision<Answer>>,
) => Promise<Answer>

interface Dependencies {
  readonly registry: Registry
  readonly tokens: TokenStore
  readonly directory: Directory
  readonly clock: Clock
}

/**
 * A change on somebody's behalf. A body may take its time to arrive, and others' changes come first:
 * so who asks, and how far they may go, is read again together with what the change is decided on.
 */
export function createChange({ registry, tokens, directory, clock }: Dependencies): Change {
  async function renew(caller: Caller): Promise<Caller> {
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

  return (caller, decide) => registry.change(async () => decide(await renew(caller)))
}
