import { badField, loginFailed } from '../../error.ts'
import { isAcceptedFrom, restrictionOf } from '../access-key/key-restriction.ts'
import { summarizeUser } from '../user-status.ts'
import type { VerifyToken } from '../verify-token.ts'
import type { AuthMethod } from './auth-method.ts'

/**
 * Revocation follows the chain of parents in the database, whose engines bound that depth. Within
 * the day a token lives, this is a rescope every three minutes.
 */
const longestChain = 500

/** Login with a token, for another scope. The new token does not live longer. */
export function createTokenMethod(verifyToken: VerifyToken): AuthMethod {
  return {
    names: ['token'],
    section: 'token',
    async authenticate({ token }, origin) {
      if (!token) throw badField('auth.identity.token', 'is required', 'MissingParameterError')
      const principal = await verifyToken(token.id)
      if (!principal) throw loginFailed('token no good')
      const { scope, expiresAt, accessKey, ...parent } = principal.token
      const user = summarizeUser(principal.userStatus)
      if (!isAcceptedFrom(restrictionOf(principal.token), origin.ip)) {
        throw loginFailed('access key: not accepted from this address', user)
      }
      if (parent.generation >= longestChain) throw loginFailed('chain of tokens too long', user)
      return {
        user,
        expiresAt,
        parent,
        // A token of an access key stays in the key's scope, and keeps its restriction.
        ...(accessKey && { accessKey, scope }),
      }
    },
  }
}
