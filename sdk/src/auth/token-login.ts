import type { Input, Output } from '../operations.ts'
import type { Answer, Auth, Transport } from './auth.ts'

type TokenRequest = Input<'issueToken'>['body']['auth']
export type IdentityRequest = TokenRequest['identity']
export type ScopeRequest = NonNullable<TokenRequest['scope']>
type Token = Output<'issueToken'>['token']

/** A token secret and the content of the token. */
export interface IssuedToken {
  readonly secret: string
  readonly token: Token
}

export interface LoginOptions {
  /** The project or domain. Default: the default project of the user. */
  readonly scope?: ScopeRequest | undefined
  /** The source in the audit log. Default: `api`. */
  readonly source?: 'web' | 'api' | 'cli' | 'srv' | undefined
}

interface TokenLogin extends SingleLoginOptions {
  /** Called for each login, because some credentials work only once. */
  readonly identify: (transport: Transport) => IdentityRequest | Promise<IdentityRequest>
  /** Whether the login can be repeated. */
  readonly isRepeatable: boolean
}

export interface SingleLoginOptions extends LoginOptions {
  /** A fresh token of a user, to whom the subject of the credential is linked. */
  readonly link?: string | undefined
}

const tokenHeader = 'x-auth-token'

export function readIssued({ body, headers }: Answer<{ readonly token: Token }>): IssuedToken {
  return { secret: headers.get('x-subject-token') ?? '', token: body.token }
}

/** Logs in at the first call, and again when the API rejects the token. */
export function tokenLogin({
  identify,
  isRepeatable,
  scope,
  source,
  link,
}: TokenLogin): Auth<IssuedToken> {
  return {
    prefix: '',
    connect(transport) {
      let issued: Promise<IssuedToken> | undefined
      /** The secret of the token, until it is rejected. */
      let valid: string | undefined
      let renewal:
        | { readonly of: string | undefined; readonly login: Promise<IssuedToken> }
        | undefined

      async function issueOnce(): Promise<IssuedToken> {
        const identity = await identify(transport)
        const auth = {
          identity,
          ...(link !== undefined && { link: { token: link } }),
          ...(scope && { scope }),
          ...(source !== undefined && { context: { source } }),
        }
        return readIssued(await transport.call('issueToken', { body: { auth } }))
      }

      const issue = () => (isRepeatable ? transport.retry(issueOnce) : issueOnce())

      /** Concurrent calls share one login. */
      function current(): Promise<IssuedToken> {
        if (issued) return issued
        const login = issue()
        issued = login
        login.then(
          ({ secret }) => (valid = secret),
          () => {
            if (issued === login) issued = undefined
          },
        )
        return login
      }

      return {
        async authenticate() {
          return { [tokenHeader]: (await current()).secret }
        },
        async renew(rejected) {
          if (!isRepeatable) return false
          const secret = rejected[tokenHeader]
          if (secret === valid) {
            valid = undefined
            issued = undefined
            renewal = { of: secret, login: current() }
          }
          // Concurrent calls with the same token share its renewal, also if it failed meanwhile.
          const isShared = issued === undefined && renewal?.of === secret
          await ((isShared ? renewal?.login : undefined) ?? current())
          return true
        },
        logIn: current,
        async logOut() {
          const login = issued
          issued = undefined
          const secret = (await login?.catch(() => undefined))?.secret
          if (secret === undefined) return
          await transport.call('revokeToken', {
            headers: { 'x-subject-token': secret, [tokenHeader]: secret },
          })
        },
      }
    },
  }
}
