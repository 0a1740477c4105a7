import type { Caller } from './caller.ts'
import { createAuditEvent } from '../audit/describe-event.ts'
import type { InspectToken } from './inspect-token.ts'
import type { Clock, TokenStore } from './ports.ts'

interface Dependencies {
  readonly inspectToken: InspectToken
  readonly tokens: TokenStore
  readonly clock: Clock
}

/** Ends a token, and with it every token made from it. */
export function createRevokeToken({ inspectToken, tokens, clock }: Dependencies) {
  return async function revokeToken(caller: Caller, secret: string): Promise<void> {
    const { token, userStatus } = await inspectToken(caller, secret)
    const { user } = userStatus
    const deed = {
      action: 'logout',
      targetType: 'user',
      targetId: user.id,
      targetName: user.name,
      place: { kind: 'domain', domainId: user.domain.id },
    } as const
    await tokens.revoke(token.id, createAuditEvent(caller, deed, clock))
  }
}
export type RevokeToken = ReturnType<typeof createRevokeToken>
