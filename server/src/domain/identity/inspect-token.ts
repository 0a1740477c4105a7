import { PlatformError } from '../error.ts'
import type { PolicyAction } from './records.ts'
import { maySystemWide, type Principal } from './principal.ts'
import type { VerifyToken } from './verify-token.ts'

/**
 * The token a caller asks about: any of the caller's own, or anyone's for a role that may. To all
 * others a foreign token does not exist.
 */
export function createInspectToken(verifyToken: VerifyToken) {
  return async function inspectToken(
    caller: Principal,
    secret: string,
    action: PolicyAction,
  ): Promise<Principal> {
    const subject = await verifyToken(secret)
    const isOwn = subject?.token.userId === caller.token.userId
    const mayAny = () => maySystemWide(caller, { service: 'identity', resource: 'tokens', action })
    if (!subject || !(isOwn || mayAny())) {
      throw new PlatformError('ResourceNotFoundError', 'There is no such token.')
    }
    return subject
  }
}
export type InspectToken = ReturnType<typeof createInspectToken>
