import {
  hash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { newId } from '../domain/new-id.ts'
import { startSecureServer } from './secure-server.ts'
import type { Lifetime } from './spawn-muster.ts'

type Json = Readonly<Record<string, unknown>>

/** A signing key of a provider. */
export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
}

export const createSigningKey = (kid: string = newId()): SigningKey => ({
  kid,
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
})

const encode = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JWT with exactly this header and these claims. */
function signJwt(header: Json, claims: Json, { privateKey }: SigningKey): string {
  const content = `${encode(header)}.${encode(claims)}`
  const bytes = Buffer.from(content)
  const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
  switch (header['alg']) {
    case 'none':
      return `${content}.`
    case 'HS256':
      // The attack that takes the public key of the provider for the secret of an HMAC.
      return `${content}.${createHmac('sha256', publicPem).update(bytes).digest('base64url')}`
    default:
      return `${content}.${sign('sha256', bytes, { key: createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })), dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1_000)

/**
 * A fake OpenID provider that answers as a test says. Unlike a real one it accepts a code any number of
 * times and checks nothing, so that a test sees whether Muster does.
 */
export async function startFakeOidc(lifetime: Lifetime) {
  const answers = new Map<string, () => Json | RequestListener>()
  const state = {
    keys: [createSigningKey('first')] as readonly SigningKey[],
    /** What is among the keys besides. */
    otherKeys: [] as readonly Json[],
    metadata: {} as Json,
    userInfo: {} as Json,
    /** The answer to codes that it does not know. */
    tokenRefusal: undefined as { readonly status: number; readonly body: Json } | undefined,
    /** Instead of all answers. */
    script: undefined as RequestListener | undefined,
  }
  const tokenRequests: URLSearchParams[] = []
  const server = await startSecureServer(lifetime, async (request, response) => {
    if (state.script) return state.script(request, response)
    const answer = await respond(request)
    if (typeof answer === 'function') return answer(request, response)
    response.writeHead(answer ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { error: 'invalid_grant' }))
  })
  const issuer = server.url

  async function respond(request: IncomingMessage): Promise<Json | RequestListener | undefined> {
    switch (request.url ?? '') {
      case '/.well-known/openid-configuration':
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
          authorization_response_iss_parameter_supported: true,
          ...state.metadata,
        }
      case '/jwks':
        return {
          keys: [
            ...state.keys.map(({ kid, privateKey }) => ({
              ...createPublicKey(privateKey).export({ format: 'jwk' }),
              kid,
              use: 'sig',
              alg: 'ES256',
            })),
            ...state.otherKeys,
          ],
        }
      case '/token': {
        const form = new URLSearchParams(await text(request))
        tokenRequests.push(form)
        const { tokenRefusal } = state
        const refuse: RequestListener = (_, response) => {
          response.writeHead(tokenRefusal?.status ?? 400, { 'content-type': 'application/json' })
          response.end(JSON.stringify(tokenRefusal?.body))
        }
        return answers.get(form.get('code') ?? '')?.() ?? (tokenRefusal && refuse)
      }
      case '/userinfo':
        return state.userInfo
      default:
        return undefined
    }
  }

  /** The claims of a good ID token. */
  const claimsOf = (changes: Json = {}): Json => ({
    iss: issuer,
    sub: 'ada-1815',
    aud: 'muster',
    exp: nowSeconds() + 300,
    iat: nowSeconds(),
    // The hash of the nonce that the browser remembers.
    nonce: hash('sha256', 'the-nonce', 'base64url'),
    preferred_username: 'ada',
    ...changes,
  })

  const sign = (claims: Json, header: Json = {}, key = state.keys[0] as SigningKey) =>
    signJwt({ alg: 'ES256', kid: key.kid, ...header }, claims, key)

  /** A code that the token endpoint always answers with this ID token, or in another way. */
  function codeFor(answer: string | RequestListener): string {
    const code = newId()
    const body = { access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: answer }
    answers.set(code, () => (typeof answer === 'string' ? body : answer))
    return code
  }

  return {
    ...server,
    issuer,
    state,
    tokenRequests,
    claimsOf,
    requestsOf: (path: string) => server.requests.filter(({ target }) => target === path).length,
    sign,
    codeFor,
    /** Where it sends a browser that came to this address, once the person has logged in. */
    answerTo(address: string, claims: Json): URL {
      const { searchParams: asked } = new URL(address)
      const code = codeFor(sign(claimsOf({ ...claims, nonce: asked.get('nonce') })))
      const answer = new URL(asked.get('redirect_uri') ?? '')
      const state = asked.get('state') ?? ''
      answer.search = new URLSearchParams({ code, state, iss: issuer }).toString()
      return answer
    },
  }
}
export type FakeOidc = Awaited<ReturnType<typeof startFakeOidc>>
