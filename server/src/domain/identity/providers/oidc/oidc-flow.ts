import { createRemoteJWKSet, customFetch as keyFetch, jwtVerify, type JWTPayload } from 'jose'
import { LRUCache } from 'lru-cache'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  discovery,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client'
import { loginFailed, PlatformError } from '../../../error.ts'
import type {
  DriverDependencies,
  ExternalIdentity,
  RememberedValues,
} from '../../provider-driver.ts'
import { readPerson } from './read-person.ts'

export type OidcOptions = {
  readonly issuer: string
  readonly client_id: string
  /** Empty for a public client. */
  readonly client_secret: string
  /** Separated by blanks. */
  readonly scopes: string
  /** The claim with the name of a new user. */
  readonly name_claim: string
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
/** An unknown key id causes one request in this time at most. */
const keysCooldown = 30_000
const mostProviders = 1_000

interface Provider {
  readonly metadata: ServerMetadata
  readonly keys: ReturnType<typeof createRemoteJWKSet>
}

/** The OpenID Connect protocol. Every request goes through the guarded client. */
export function createOidcFlow(send: DriverDependencies['send']) {
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
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), {
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
    audience: string,
  ): Promise<JWTPayload> {
    const { payload } = await jwtVerify(token, keys, {
      algorithms,
      issuer: metadata.issuer,
      audience,
      clockTolerance: skew,
      requiredClaims: ['sub', 'exp', 'iat'],
    })
    return payload
  }

  /** The claims of the ID token, completed by those that the provider tells only at its UserInfo endpoint. */
  async function readClaims(
    options: OidcOptions,
    code: string,
    proof: Readonly<Record<string, string>>,
    deadline?: number,
  ): Promise<JWTPayload> {
    const { code_verifier = '', nonce = '', redirect_uri = '', iss } = proof
    const { configuration, ...provider } = await configure(options, deadline)
    const answer = new URL(redirect_uri)
    answer.search = new URLSearchParams({ code, ...(iss !== undefined && { iss }) }).toString()
    const tokens = await authorizationCodeGrant(configuration, answer, {
      pkceCodeVerifier: code_verifier,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    // openid-client trusts TLS instead of the signature.
    const claims = await verifySignature(tokens.id_token ?? '', provider, options.client_id)
    const { azp, sub = '' } = claims
    if (azp !== undefined && azp !== options.client_id) {
      throw new Error('the ID token was issued to another client')
    }
    if (provider.metadata.userinfo_endpoint === undefined) return claims
    return { ...(await fetchUserInfo(configuration, tokens.access_token, sub)), ...claims }
  }

  return {
    async begin(
      options: OidcOptions,
      callback: string,
      deadline?: number,
    ): Promise<{ address: string; remembered: RememberedValues }> {
      const { configuration } = await configure(options, deadline)
      const remembered = {
        state: randomState(),
        nonce: randomNonce(),
        code_verifier: randomPKCECodeVerifier(),
      }
      const { state, nonce, code_verifier } = remembered
      const address = buildAuthorizationUrl(configuration, {
        redirect_uri: callback,
        scope: options.scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: 'S256',
      })
      return { address: address.href, remembered }
    },

    /** Who logged in, by the code with which the browser came back. */
    async exchangeCode(
      options: OidcOptions,
      code: string,
      proof: Readonly<Record<string, string>>,
      deadline?: number,
    ): Promise<ExternalIdentity> {
      try {
        return readPerson(await readClaims(options, code, proof, deadline), options.name_claim)
      } catch (error) {
        throw toFailedLogin(error)
      }
    },
  }
}
export type OidcFlow = ReturnType<typeof createOidcFlow>

/** HTTP Basic is what a provider accepts that does not say what it accepts. */
function chooseAuthentication(
  { token_endpoint_auth_methods_supported: methods }: ServerMetadata,
  secret: string,
) {
  if (secret === '') return None()
  const acceptsBasic = methods === undefined || methods.includes('client_secret_basic')
  return acceptsBasic ? ClientSecretBasic(secret) : ClientSecretPost(secret)
}

/** Errors of the protocol name no secret; the provider's own code is added if it has one. */
function toFailedLogin(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  const { message, error: code, cause } = error as Error & { readonly error?: unknown }
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message
  const isCode = typeof code === 'string' && /^\w{1,64}$/.test(code)
  return loginFailed(`OIDC: ${reason}${isCode ? ` (${code})` : ''}`)
}
