import type { Auth } from './auth.ts'
import { signLogin } from './sign-login.ts'
import {
  tokenLogin,
  type IdentityRequest,
  type IssuedToken,
  type LoginOptions,
  type SingleLoginOptions,
} from './token-login.ts'

interface AccessKeyOptions extends Pick<LoginOptions, 'source'> {
  readonly accessKey: string
  readonly secret: string
}

/** Logs in with an access key, for the project of the key. */
export const accessKeyLogin = ({
  accessKey,
  secret,
  ...options
}: AccessKeyOptions): Auth<IssuedToken> =>
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
export const singleLogin = (
  identity: IdentityRequest,
  options: SingleLoginOptions = {},
): Auth<IssuedToken> => tokenLogin({ ...options, isRepeatable: false, identify: () => identity })

/** Logs in with a CAS ticket. */
export const casTicket = (
  ticket: string,
  { provider, ...options }: CasOptions = {},
): Auth<IssuedToken> =>
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
  /** The code of a second factor. A function is called for each login, because a code works once. */
  readonly passcode?: string | (() => string | Promise<string>) | undefined
}

/** Logs in with a user name and password, and with the code of a second factor if there is one. */
export const passwordLogin = ({
  user,
  password,
  passcode,
  ...options
}: PasswordOptions): Auth<IssuedToken> =>
  tokenLogin({
    ...options,
    isRepeatable: typeof passcode !== 'string',
    async identify() {
      const identity = { password: { user: { ...user, password } } }
      if (passcode === undefined) return { methods: ['password'], ...identity }
      const code = typeof passcode === 'string' ? passcode : await passcode()
      return { methods: ['password', 'totp'], ...identity, totp: { user: { passcode: code } } }
    },
  })

interface CredentialOptions extends LoginOptions {
  /** The id of the identity provider. Required if there are several. */
  readonly provider?: string
  /** The token of the identity provider. A function is called for each login, so the client can log in again. */
  readonly token: string | (() => string | Promise<string>)
}

const credentialLogin =
  (method: 'oidc' | 'workload') =>
  ({ token, provider, ...options }: CredentialOptions): Auth<IssuedToken> =>
    tokenLogin({
      ...options,
      isRepeatable: typeof token === 'function',
      identify: async () => ({
        methods: [method],
        credential: {
          ...(provider !== undefined && { provider }),
          token: typeof token === 'function' ? await token() : token,
        },
      }),
    })

/** Logs in with an access token or an ID token of an OpenID Connect provider. */
export const oidcLogin = credentialLogin('oidc')

/** Logs in with the token of a platform that runs programs, such as Kubernetes or GitHub Actions. */
export const workloadLogin = credentialLogin('workload')
