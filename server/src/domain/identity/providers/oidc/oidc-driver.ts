import { badField } from '../../../error.ts'
import type {
  CredentialDriver,
  DriverDependencies,
  ProviderCredential,
} from '../../provider-driver.ts'
import type { OidcFlow } from './oidc-flow.ts'
import type { OidcOptions } from './oidc-servers.ts'

/** The keys of a credential: a code with what only the browser that began the login knows, or a token. */
const codeKeys = ['code', 'code_verifier', 'nonce', 'redirect_uri'] as const
const credentialKeys: ReadonlySet<string> = new Set(['provider', 'token', 'iss', ...codeKeys])

export const compactToken = /^[\w-]+\.[\w-]+\.[\w-]*$/

const path = (name: string) => `auth.identity.credential.${name}`

/** OpenID Connect: logins with the authorization code flow. */
export function createOidcDriver({ send }: Pick<DriverDependencies, 'send'>): CredentialDriver {
  let flow: Promise<OidcFlow> | undefined

  /** Loaded at the first login, because most installations have no such provider. */
  const load = (): Promise<OidcFlow> =>
    (flow ??= import('./oidc-flow.ts').then(({ createOidcFlow }) => createOidcFlow(send)))

  return {
    names: ['oidc'],
    section: 'credential',
    label: 'OIDC',
    options: {
      // Subjects are unique within an issuer only.
      issuer: { kind: 'server', isTrusted: true, isFixed: true },
      client_id: { kind: 'text', isTrusted: true },
      client_secret: { kind: 'text', default: '', isSecret: true },
      scopes: { kind: 'text', default: 'openid profile email' },
      name_claim: { kind: 'text', default: 'preferred_username' },
      audience: { kind: 'text', default: '', isTrusted: true },
      create_users: { kind: 'boolean', default: true },
      ca: { kind: 'certificates', default: '', isTrusted: true },
    },

    readCredential({ credential }) {
      if (!credential) {
        throw badField('auth.identity.credential', 'is required', 'MissingParameterError')
      }
      const { provider: providerId, code = '', token, ...proof } = credential
      const stray = Object.keys(credential).find((name) => !credentialKeys.has(name))
      if (stray !== undefined) throw badField(path(stray), 'is not a key of this credential')
      if (token !== undefined) {
        const second = Object.keys(proof).concat(code === '' ? [] : 'code')[0]
        if (second !== undefined) throw badField(path(second), 'must not be sent with a token')
        if (!compactToken.test(token)) throw badField(path('token'), 'must be a signed JWT')
        // The same signature can be written in several ways, so what is signed tells tokens apart.
        return { secret: token, identity: token.slice(0, token.lastIndexOf('.')), providerId }
      }
      const missing = codeKeys.find((name) => credential[name] === undefined)
      if (missing !== undefined) {
        throw badField(path(missing), 'is required', 'MissingParameterError')
      }
      if (!URL.canParse(proof['redirect_uri'] ?? '')) {
        throw badField(path('redirect_uri'), 'must be a URL')
      }
      return { secret: code, providerId, proof } satisfies ProviderCredential
    },

    async verify(options, { secret, proof }, deadline) {
      const { exchangeCode, verifyToken } = await load()
      return proof
        ? await exchangeCode(options as OidcOptions, secret, proof, deadline)
        : await verifyToken(options as OidcOptions, secret, deadline)
    },

    browserLogin: {
      bindsAnswer: true,

      async begin(options, callback, deadline) {
        return await (await load()).begin(options as OidcOptions, callback, deadline)
      },

      async logoutPage(options, returnTo, deadline) {
        return await (await load()).logoutPage(options as OidcOptions, returnTo, deadline)
      },

      async readLogout(options, message, deadline) {
        return await (await load()).readLogout(options as OidcOptions, message, deadline)
      },

      readAnswer(query, { providerId, callback, remembered }) {
        const read = (name: string) => {
          const values = query.getAll(name)
          return values.length === 1 && values[0] !== '' ? values[0] : undefined
        }
        const { state, nonce, code_verifier } = remembered
        const code = read('code')
        const isAnswer = state !== undefined && read('state') === state && !query.has('error')
        if (!isAnswer || !code || !nonce || !code_verifier) return undefined
        const iss = read('iss')
        if (query.has('iss') && iss === undefined) return undefined
        const proof = { code, code_verifier, nonce, redirect_uri: callback, ...(iss && { iss }) }
        return { methods: ['oidc'], credential: { provider: providerId, ...proof } }
      },
    },
  }
}
