import type { Auth } from './auth.ts'
import {
  readIssued,
  tokenLogin,
  type IssuedToken,
  type LoginOptions,
  type ScopeRequest,
} from './token-login.ts'

/** Authenticates with an existing token. With `scope`, issues a child token for that scope. */
export const tokenAuth = (
  secret: string,
  { scope, ...options }: LoginOptions = {},
): Auth<IssuedToken> => (scope ? rescoped(secret, scope, options) : existingToken(secret))

const rescoped = (secret: string, scope: ScopeRequest, options: LoginOptions) =>
  tokenLogin({
    ...options,
    scope,
    // If only the child was revoked, the parent can issue another.
    isRepeatable: true,
    identify: () => ({ methods: ['token'], token: { id: secret } }),
  })

function existingToken(secret: string): Auth<IssuedToken> {
  const own = { 'x-auth-token': secret }
  const about = { headers: { ...own, 'x-subject-token': secret } }
  return {
    prefix: '',
    connect: (transport) => ({
      authenticate: async () => own,
      renew: async () => false,
      logIn: async () => readIssued(await transport.call('validateToken', about)),
      logOut: async () => void (await transport.call('revokeToken', about)),
    }),
  }
}
