import type { ScopeRequest } from '@muster/contract'
import type { Auth } from './auth.ts'
import { readIssued, tokenLogin, type IssuedToken, type LoginOptions } from './token-login.ts'

/** Takes a token that one has: as it is, or for another scope with a token made from it. */
export const tokenAuth = (
  secret: string,
  { scope, ...options }: LoginOptions = {},
): Auth<IssuedToken> => (scope ? rescoped(secret, scope, options) : asItIs(secret))

const rescoped = (secret: string, scope: ScopeRequest, options: LoginOptions) =>
  tokenLogin({
    ...options,
    scope,
    // The child may have been revoked by itself; its parent makes another.
    isRepeatable: true,
    identify: () => ({ methods: ['token'], token: { id: secret } }),
  })

function asItIs(secret: string): Auth<IssuedToken> {
  const own = { 'x-auth-token': secret }
  const about = { headers: { ...own, 'x-subject-token': secret } }
  return {
    prefix: '',
    connect: (line) => ({
      prove: async () => own,
      renew: async () => false,
      logIn: async () => readIssued(await line.call('validateToken', about)),
      logOut: async () => void (await line.call('revokeToken', about)),
    }),
  }
}
