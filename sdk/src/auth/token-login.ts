import type { IdentityRequest, ScopeRequest, Token } from '@muster/contract'
import type { Answer, Auth, Transport } from './auth.ts'
import { signLogin } from './sign-login.ts'

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

      async function issue(): Promise<IssuedToken> {
        const identity = await identify(transport)
        const auth = {
          identity,
          ...(link !== undefined && { link: { token: link } }),
          ...(scope && { scope }),
          ...(source !== undefined && { context: { source } }),
        }
        return readIssued(await transport.call('issueToken', { body: { auth } }))
      }

      /** Concurrent calls share one login. */
      function current(): Promise<IssuedToken> {
        if (issued) return issued
        const login = issue()
        issued = login
        login.catch(() => {
          if (issued === login) issued = undefined
        })
        return login
      }

      return {
        async authenticate() {
          return { [tokenHeader]: (await current()).secret }
        },
        async renew(rejected) {
          if (!isRepeatable) return false
          const login = await issued?.catch(() => undefined)
          // A concurrent call with the same token may have logged in again already.
          if (login?.secret === rejected[tokenHeader]) issued = undefined
          await current()
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

interface AccessKeyOptions extends Pick<LoginOptions, 'source'> {
  readonly accessKey: string
  readonly secret: string
}

/** Logs in with an access key, for the project of the key. */
export const accessKeyLogin = ({ accessKey, secret, ...options }: AccessKeyOptions) =>
  tokenLogin({
    ...options,
    isRepeatable: true,
    identify: async ({ authHost }) => ({
      methods: ['aksk'],
      access_key_secret: await signLogin({ accessKey, secret, host: authHost, now: new Date() }),
    }),
  })

interface CasOptions extends LoginOptions {
  /** The id of the identity provider. Required if there are several. */
  readonly provider?: string
}

/** Logs in with a credential that works once, so the client cannot log in again when the token expires. */
export const singleLogin = (identity: IdentityRequest, options: SingleLoginOptions = {}) =>
  tokenLogin({ ...options, isRepeatable: false, identify: () => identity })

/** Logs in with a CAS ticket. */
export const casTicket = (ticket: string, { provider, ...options }: CasOptions = {}) =>
  singleLogin(
    {
      methods: ['cas'],
      cas_ticket: { id: ticket, ...(provider !== undefined && { provider }) },
    },
    options,
  )

interface PasswordOptions extends LoginOptions {
  /** By id, or by name in a domain (default: `Default`). */
  readonly user:
    | { readonly id: string }
    | {
        readonly name: string
        readonly domain?: { readonly id: string } | { readonly name: string }
      }
  readonly password: string
  /** The code of a second factor. It works once, so the client cannot log in again with it. */
  readonly passcode?: string | undefined
}

/** Logs in with a user name and password, and with the code of a second factor if there is one. */
export const passwordLogin = ({ user, password, passcode, ...options }: PasswordOptions) =>
  tokenLogin({
    ...options,
    isRepeatable: passcode === undefined,
    identify: () => ({
      methods: passcode === undefined ? ['password'] : ['password', 'totp'],
      password: { user: { ...user, password } },
      ...(passcode !== undefined && { totp: { user: { passcode } } }),
    }),
  })
