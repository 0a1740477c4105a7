import type { InspectToken } from './inspect-token.ts'
import type { TokenStore } from './ports.ts'
import type { Principal } from './principal.ts'

/** Ends a token, and with it every token made from it. */
export function createRevokeToken(inspectToken: InspectToken, tokens: TokenStore) {
  return async function revokeToken(caller: Principal, secret: string): Promise<void> {
    const subject = await inspectToken(caller, secret, 'delete')
    await tokens.revoke(subject.token.id)
  }
}
export type RevokeToken = ReturnType<typeof createRevokeToken>
