import { errors, type JWTPayload } from 'jose'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { loginFailed, PlatformError } from '../../../error.ts'
import type {
  Check,
  DriverDependencies,
  ExternalIdentity,
  LogoutNotice,
  RememberedValues,
} from '../../provider-driver.ts'
import { createOidcServers, type OidcOptions } from './oidc-servers.ts'
import { readPerson } from './read-person.ts'
import { testIssuer, testOidc } from './test-oidc.ts'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
/** Seconds after which a logout message is refused. Used ones are remembered for longer. */
const longestMessage = 600

/** The same for tokens of programs. With the skew of both clocks, used ones are remembered for longer. */
const longestToken = 82_800
/** Seconds after its issue in which an ID token of the device flow is accepted. */
const longestIdToken = 300
/** Characters of a reason. A provider, or who pretends to be one, writes parts of it. */
const longestReason = 200

/** What Keycloak calls its other tokens, in a claim. */
const otherTokens: ReadonlySet<string> = new Set(['ID', 'Refresh', 'Offline', 'Logout'])

/** The OpenID Connect protocol. */
export function createOidcFlow(send: DriverDependencies['send']) {
  const servers = createOidcServers(send)
  const { discover, configure, verifySignature } = servers

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
      expectedNonce: await calculatePKCECodeChallenge(nonce),
      idTokenExpected: true,
    })
    // openid-client trusts TLS instead of the signature.
    const { payload: claims } = await verifySignature(
      tokens.id_token ?? '',
      provider,
      { audience: options.client_id },
      deadline,
    )
    const { azp, sub = '' } = claims
    if (azp !== undefined && azp !== options.client_id) {
      throw new Error('the ID token was issued to another client')
    }
    if (provider.metadata.userinfo_endpoint === undefined) return claims
    return { ...(await fetchUserInfo(configuration, tokens.access_token, sub)), ...claims }
  }

  return {
    test: (options: OidcOptions, check: Check, deadline: number) =>
      testOidc(servers, options, check, deadline),

    async testIssuer(options: OidcOptions, check: Check, deadline: number): Promise<void> {
      await testIssuer(servers, options, check, deadline)
    },

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
        // Its hash: who sees the address cannot send the nonce that Muster asks for, even without PKCE.
        nonce: await calculatePKCECodeChallenge(nonce),
        code_challenge: await calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: 'S256',
      })
      return { address: address.href, remembered }
    },

    /** Without an ID token, which Muster does not store, the provider may ask the person to confirm. */
    async logoutPage(
      options: OidcOptions,
      returnTo: string,
      deadline?: number,
    ): Promise<string | undefined> {
      const { configuration, metadata } = await configure(options, deadline)
      if (metadata.end_session_endpoint === undefined) return undefined
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href
    },

    /** Checks a logout token, by OpenID Connect Back-Channel Logout 1.0. */
    async readLogout(
      options: OidcOptions,
      message: string,
      deadline?: number,
    ): Promise<LogoutNotice> {
      const provider = await discover(options, deadline).catch(() => {
        throw unavailable()
      })
      try {
        const expected = {
          audience: options.client_id,
          requiredClaims: ['jti', 'iat', 'events'],
          maxTokenAge: longestMessage,
        }
        const { payload, protectedHeader } = await verifySignature(
          message,
          provider,
          expected,
          deadline,
        )
        const { jti = '', sub, sid, events, nonce } = payload
        const { typ = 'logout+jwt' } = protectedHeader
        const isLogout =
          /^(?:application\/)?(?:logout\+)?jwt$/i.test(typ) &&
          typeof (events as Record<string, unknown>)[logoutEvent] === 'object'
        // An ID token must not pass for a message, and the reverse.
        if (!isLogout || nonce !== undefined) throw loginFailed('OIDC: not a logout token')
        const [subject, session] = [textOrNothing(sub), textOrNothing(sid)]
        if (subject === undefined && session === undefined) {
          throw loginFailed('OIDC: no subject and no session')
        }
        return { id: jti, subject, session }
      } catch (error) {
        // A 400 would tell the provider not to send the message again.
        throw isOutage(error) ? unavailable() : toFailedLogin(error)
      }
    },

    /** Which program logged in, by a token that the provider issued for Muster. */
    async verifyToken(
      options: OidcOptions,
      token: string,
      deadline?: number,
    ): Promise<ExternalIdentity> {
      const { audience, client_id, name_claim } = options
      try {
        if (audience === '') throw new Error('the provider has no audience for tokens of programs')
        // ID tokens have this audience, and go through many hands.
        if (audience === client_id) throw new Error('the audience must differ from the client_id')
        const provider = await discover(options, deadline)
        const { payload, protectedHeader } = await verifySignature(
          token,
          provider,
          { audience, maxTokenAge: longestToken },
          deadline,
        )
        const { typ = 'JWT' } = protectedHeader
        const isAccessToken =
          /^(?:application\/)?(?:at\+)?jwt$/i.test(typ) &&
          payload['nonce'] === undefined &&
          payload['events'] === undefined &&
          !otherTokens.has(String(payload['typ']))
        if (!isAccessToken) throw new Error('not an access token')
        const { exp = 0, iat = 0 } = payload
        return { ...readPerson(payload, name_claim), expiresAt: exp * 1_000, saidAt: iat * 1_000 }
      } catch (error) {
        throw toFailedLogin(error)
      }
    },

    /** What a command line needs to ask the provider for a code; undefined if the provider has no device flow. */
    async describeDeviceLogin(options: OidcOptions, deadline?: number) {
      const { issuer, scopes, device_client_id: client_id } = options
      const { metadata } = await discover(options, deadline)
      const { device_authorization_endpoint, token_endpoint } = metadata
      if (device_authorization_endpoint === undefined || token_endpoint === undefined) {
        return undefined
      }
      return { issuer, client_id, scopes, device_authorization_endpoint, token_endpoint }
    },

    /** Who logged in with the device flow, by the ID token that the command line got. */
    async verifyIdToken(
      options: OidcOptions,
      token: string,
      deadline?: number,
    ): Promise<ExternalIdentity> {
      const { device_client_id, client_id, audience, name_claim } = options
      try {
        if (device_client_id === '') throw new Error('the device flow is off')
        // ID tokens of the browser, and tokens of programs, go through other hands.
        if ([client_id, audience].includes(device_client_id)) {
          throw new Error('device_client_id must differ from client_id and audience')
        }
        const provider = await discover(options, deadline)
        const { payload, protectedHeader } = await verifySignature(
          token,
          provider,
          { audience: device_client_id, maxTokenAge: longestIdToken },
          deadline,
        )
        const { typ = 'JWT' } = protectedHeader
        const { aud, azp = device_client_id, typ: kind = 'ID', nonce, events } = payload
        const isIdToken =
          /^(?:application\/)?jwt$/i.test(typ) &&
          kind === 'ID' &&
          nonce === undefined &&
          events === undefined
        if (!isIdToken) throw new Error('not an ID token of the device flow')
        if (azp !== device_client_id || (Array.isArray(aud) && aud.length > 1)) {
          throw new Error('the ID token was issued to another client as well')
        }
        return readPerson(payload, name_claim)
      } catch (error) {
        throw toFailedLogin(error)
      }
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

const textOrNothing = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The keys of the provider could not be read. Its message may be right. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof PlatformError) &&
  !(error instanceof errors.JOSEError && !outages.has(error.code))
const outages: ReadonlySet<string> = new Set([
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
  // A response without keys.
  errors.JOSEError.code,
])
const unavailable = () =>
  new PlatformError('ServiceUnavailable', 'The provider does not answer. Send it again.')

/** Errors of the protocol name no secret; the provider's own code is added if it has one. */
function toFailedLogin(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  const { message, error: code, cause } = error as Error & { readonly error?: unknown }
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message
  const isCode = typeof code === 'string' && /^\w{1,64}$/.test(code)
  return loginFailed(`OIDC: ${reason.slice(0, longestReason)}${isCode ? ` (${code})` : ''}`)
}
