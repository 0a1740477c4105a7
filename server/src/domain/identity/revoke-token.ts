import { refuseRestrictedKey } from './administration/authority.ts'
import type { Caller } from './caller.ts'
import { createAuditEvent } from './create-audit-event.ts'
import type { InspectToken } from './inspect-token.ts'
import type { TokenStore } from './ports.ts'
import type { Clock } from '../clock.ts'

interface Dependencies {
  readonly inspectToken: InspectToken
  readonly tokens: TokenStore
  readonly clock: Clock
}

/** Revokes a token, and with it every token that was issued from it. */
export function createRevokeToken({ inspectToken, tokens, clock }: Dependencies) {
  return async function revokeToken(caller: Caller, secret: string): Promise<void> {
    const { token, userStatus } = await inspectToken(caller, secret)
    const { accessKey } = caller.principal.token
    if (token.accessKey?.id !== accessKey?.id) {
      refuseRestrictedKey(caller.principal, 'revoke a token of another login')
    }
    const { user } = userStatus
    const auditedAction = {
      action: 'logout',
      targetType: 'user',
      targetId: user.id,
      targetName: user.name,
      scope: { kind: 'domain', domainId: user.domain.id },
    } as const
    await tokens.revoke(token.id, createAuditEvent(caller, auditedAction, clock))
  }
}
export type RevokeToken = ReturnType<typeof createRevokeToken>
