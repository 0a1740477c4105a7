import {
  createRemoteJWKSet,
  customFetch as keyFetch,
  jwtVerify,
  type JSONWebKeySet,
  type JWTVerifyOptions,
} from 'jose'
import { LRUCache } from 'lru-cache'
import {
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  discovery,
  None,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client'
import type { DriverDependencies } from '../../provider-driver.ts'

export type OidcOptions = {
  readonly issuer: string
  readonly client_id: string
  /** Empty for a public client. */
  readonly client_secret: string
  /** Separated by blanks. */
  readonly scopes: string
  /** The claim with the name of a new user. */
  readonly name_claim: string
  /** The audience of tokens with which programs log in; empty for none. */
  readonly audience: string
  /** The client of command lines, which has no secret; empty if the device flow is off. */
  readonly device_client_id: string
  /** The certificate authority as PEM; empty for the ones that the system trusts. */
  readonly ca: string
}

/** Only signatures with a private key: a public key must never serve as the key of an HMAC. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
]

/** Seconds that the clocks of the provider and of Muster may differ. */
const skew = 60

const metadataLifetime = 600_000
const keysLifetime = 600_000
/** Milliseconds that a login waits for keys, unless its deadline is earlier. */
const longestKeys = 5_000
/** An unknown key id causes one request in this time at most. */
const keysCooldown = 30_000
const mostProviders = 1_000

interface Provider {
  readonly metadata: ServerMetadata
  readonly keys: ReturnType<typeof createRemoteJWKSet>
}

/** OpenID providers, with what they say about themselves. Every request goes through the guarded client. */
export function createOidcServers(send: DriverDependencies['send']) {
  const providers = new LRUCache<string, Provider>({ max: mostProviders, ttl: metadataLifetime })

  const fetchFor =
    (ca: string, deadline?: number): CustomFetch =>
    async (url, { method, headers, body }) => {
      const { status, contentType, text } = await send(new URL(url), {
        method: method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(new Headers(headers)),
        // openid-client sends forms only.
        ...(body instanceof URLSearchParams && { body: body.toString() }),
        ...(ca !== '' && { ca }),
        deadline,
      })
      return new Response(text, { status, headers: { 'content-type': contentType } })
    }

  async function discover({ issuer, client_id, ca }: OidcOptions, deadline?: number) {
    const key = `${issuer} ${ca}`
    const cached = providers.get(key)
    if (cached) return cached
    const found = await discovery(new URL(issuer), client_id, undefined, None(), {
      [customFetch]: fetchFor(ca, deadline),
    })
    const metadata = found.serverMetadata()
    // openid-client does not compare it if the address is that of the metadata.
    if (new URL(metadata.issuer).href !== new URL(issuer).href) {
      throw new Error('the provider names another issuer')
    }
    if (metadata.jwks_uri === undefined) throw new Error('the provider names no jwks_uri')
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
      [keyFetch]: fetchFor(ca) as typeof fetch,
      cacheMaxAge: keysLifetime,
      cooldownDuration: keysCooldown,
    })
    const provider = { metadata, keys }
    providers.set(key, provider)
    return provider
  }

  async function configure(options: OidcOptions, deadline?: number) {
    const { client_id, client_secret, ca } = options
    const { metadata, keys } = await discover(options, deadline)
    const authentication = chooseAuthentication(metadata, client_secret)
    const configuration = new Configuration(
      metadata,
      client_id,
      { [clockTolerance]: skew },
      authentication,
    )
    configuration[customFetch] = fetchFor(ca, deadline)
    return { configuration, metadata, keys }
  }

  /** Checks signature, issuer, audience and times of a token that the provider issued. */
  async function verifySignature(
    token: string,
    { metadata, keys }: Provider,
    expected: JWTVerifyOptions,
    deadline = Infinity,
  ) {
    const verified = jwtVerify(token, keys, {
      algorithms,
      issuer: metadata.issuer,
      clockTolerance: skew,
      requiredClaims: ['sub', 'exp', 'iat'],
      ...expected,
    })
    // Logins wait for the same request for keys, so it cannot have the deadline of one of them.
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error('the keys of the provider did not arrive in time')),
      Math.min(longestKeys, deadline - performance.now()),
    )
    return await Promise.race([verified, late.promise]).finally(() => clearTimeout(timer))
  }

  return { discover, configure, verifySignature }
}
export type OidcServers = ReturnType<typeof createOidcServers>

/** HTTP Basic is what a provider accepts that does not say what it accepts. */
export function authenticationName(
  { token_endpoint_auth_methods_supported: methods }: ServerMetadata,
  secret: string,
) {
  if (secret === '') return 'none'
  const acceptsBasic = methods === undefined || methods.includes('client_secret_basic')
  return acceptsBasic ? 'client_secret_basic' : 'client_secret_post'
}

const authentications = {
  none: () => None(),
  client_secret_basic: ClientSecretBasic,
  client_secret_post: ClientSecretPost,
}

const chooseAuthentication = (metadata: ServerMetadata, secret: string) =>
  authentications[authenticationName(metadata, secret)](secret)

/** How many keys can check the signatures that Muster accepts. */
export const acceptedKeys = ({ keys }: JSONWebKeySet = { keys: [] }): number =>
  keys.filter(
    ({ kty, use, alg }) =>
      ['RSA', 'EC', 'OKP'].includes(kty ?? '') &&
      use !== 'enc' &&
      (alg === undefined || algorithms.includes(alg)),
  ).length
