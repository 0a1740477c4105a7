import type { Auth, IssuedToken } from '@muster/sdk'
import type { StoredToken } from './profiles.ts'

interface Store {
  readonly read: () => StoredToken | undefined
  readonly write: (token: StoredToken) => void
  readonly forget: () => void
}

const header = 'x-auth-token'

/**
 * Uses a cached token, and logs in if there is none or the API rejects it. `addresses` are those that the
 * token is sent to.
 */
export function cachedLogin(
  login: Auth<IssuedToken>,
  store: Store,
  addresses: { readonly authUrl: string; readonly url: string },
): Auth<IssuedToken> {
  return {
    prefix: login.prefix,
    connect(transport) {
      const fresh = login.connect(transport)
      let cached = store.read()

      async function logIn(): Promise<IssuedToken> {
        cached = undefined
        const issued = await fresh.logIn()
        store.write({ secret: issued.secret, expiresAt: issued.token.expires_at, ...addresses })
        return issued
      }

      return {
        async authenticate() {
          return { [header]: cached?.secret ?? (await logIn()).secret }
        },
        async renew(rejected) {
          if (cached === undefined) return await fresh.renew(rejected)
          store.forget()
          await logIn()
          return true
        },
        logIn,
        async logOut() {
          store.forget()
          if (cached !== undefined) {
            const secret = cached.secret
            cached = undefined
            await transport.call('revokeToken', {
              headers: { [header]: secret, 'x-subject-token': secret },
            })
          }
          await fresh.logOut()
        },
      }
    },
  }
}
