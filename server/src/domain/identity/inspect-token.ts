import { PlatformError } from '../error.ts'
import type { Caller } from './caller.ts'
import type { Principal } from './principal.ts'
import type { VerifyToken } from './verify-token.ts'

/** The token that a request asks about: the caller's own, or anyone's with permission. Otherwise a 404. */
export function createInspectToken(verifyToken: VerifyToken) {
  return async function inspectToken(
    { authorizedScope }: Caller,
    secret: string,
  ): Promise<Principal> {
    const subject = await verifyToken(secret)
    const isOwn = subject?.token.userId === authorizedScope.self
    if (!subject || !(isOwn || authorizedScope.scope.kind === 'system')) {
      throw new PlatformError(
        'ResourceNotFoundError',
        'The token in X-Subject-Token does not exist, or is expired or revoked.',
      )
    }
    return subject
  }
}
export type InspectToken = ReturnType<typeof createInspectToken>
