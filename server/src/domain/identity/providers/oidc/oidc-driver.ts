import { badField } from '../../../error.ts'
import type {
  CredentialDriver,
  DriverDependencies,
  ProviderCredential,
} from '../../provider-driver.ts'
import type { OidcFlow } from './oidc-flow.ts'
import type { OidcOptions } from './oidc-servers.ts'
import { readPerson } from './read-person.ts'

/** The keys of a credential: a code with what only the browser that began the login knows, or a token. */
const codeKeys = ['code', 'code_verifier', 'nonce', 'redirect_uri'] as const
const credentialKeys: ReadonlySet<string> = new Set([
  'provider',
  'token',
  'id_token',
  'iss',
  ...codeKeys,
])
/** The proof of an ID token of the device flow. */
const ofDevice = { flow: 'device' } as const

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
    title: 'OpenID Connect',
    description:
      'People log in on pages of the provider, such as Keycloak, Entra ID, Google or Okta.',
    options: {
      // Subjects are unique within an issuer only.
      issuer: {
        kind: 'server',
        description: 'Address of the provider, such as https://id.example.org/realms/acme',
        isTrusted: true,
        isFixed: true,
      },
      client_id: { kind: 'text', description: 'Id of the client at the provider', isTrusted: true },
      client_secret: {
        kind: 'text',
        description: 'Secret of the client. Empty: a public client.',
        default: '',
        isSecret: true,
      },
      scopes: {
        kind: 'text',
        description: 'What Muster asks for, separated by blanks',
        default: 'openid profile email',
      },
      name_claim: {
        kind: 'text',
        description: 'Claim with the name of a new user',
        default: 'preferred_username',
      },
      audience: {
        kind: 'text',
        description: 'Audience of tokens with which programs log in. Empty: programs cannot.',
        default: '',
        isTrusted: true,
      },
      device_client_id: {
        kind: 'text',
        description:
          'Id of a public client for command lines, with the device flow. Empty: they cannot log in.',
        default: '',
        isTrusted: true,
      },
      create_users: {
        kind: 'boolean',
        description:
          'Whether the first login creates a user. Otherwise only people who have logged in before, or whose login is linked, can log in.',
        default: true,
      },
      ca: {
        kind: 'certificates',
        description: 'Certificate authority of the provider in PEM. Empty: the public authorities.',
        default: '',
        isTrusted: true,
      },
    },

    readCredential({ credential }) {
      if (!credential) {
        throw badField('auth.identity.credential', 'is required', 'MissingParameterError')
      }
      const { provider: providerId, code = '', token, id_token, ...proof } = credential
      const stray = Object.keys(credential).find((name) => !credentialKeys.has(name))
      if (stray !== undefined) throw badField(path(stray), 'is not a key of this credential')
      const jwt = token ?? id_token
      if (jwt !== undefined) {
        const others = [
          ...Object.keys(proof),
          ...(code === '' ? [] : ['code']),
          ...(token !== undefined && id_token !== undefined ? ['id_token'] : []),
        ]
        if (others[0] !== undefined) {
          throw badField(path(others[0]), 'must not be sent with a token')
        }
        const name = token === undefined ? 'id_token' : 'token'
        if (!compactToken.test(jwt)) throw badField(path(name), 'must be a signed JWT')
        // The same signature can be written in several ways, so what is signed tells tokens apart.
        const identity = jwt.slice(0, jwt.lastIndexOf('.'))
        return {
          secret: jwt,
          identity,
          providerId,
          ...(token === undefined && { proof: ofDevice }),
        }
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
      const { exchangeCode, verifyToken, verifyIdToken } = await load()
      if (proof === ofDevice) return await verifyIdToken(options as OidcOptions, secret, deadline)
      if (proof) return await exchangeCode(options as OidcOptions, secret, proof, deadline)
      const program = await verifyToken(options as OidcOptions, secret, deadline)
      return { ...program, isProgram: true }
    },

    async test(options, check, deadline) {
      await (await load()).test(options as OidcOptions, check, deadline)
    },

    async deviceLogin(options, deadline) {
      const { device_client_id } = options as OidcOptions
      if (device_client_id === '') return undefined
      return await (await load()).describeDeviceLogin(options as OidcOptions, deadline)
    },

    readClaims: (options, claims) => readPerson(claims, (options as OidcOptions).name_claim),

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
