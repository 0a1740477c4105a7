import { buffer } from 'node:stream/consumers'
import type { FirstPassword, identityOperations, ScopeRequest } from '@muster/contract'
import {
  ApiError,
  ConnectionError,
  createClient,
  tokenAuth,
  type Auth,
  type Client,
  type Fetch,
  type IssuedToken,
} from '@muster/sdk'
import type { Exchange } from './exchange.ts'
import type { CreateError, Upstream, UpstreamAnswer } from './ports.ts'

/** Timeout for issuing and revoking tokens in milliseconds. Independent of the browser, so that no token is lost. */
const timeout = 60_000

const statusesWithoutBody = new Set([204, 205, 304])

async function toResponse({ status, headers, body }: UpstreamAnswer): Promise<Response> {
  const bytes = await buffer(body)
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new Response(statusesWithoutBody.has(status) ? null : bytes, { status, headers: pairs })
}

/** Sessions need operations of the identity service only. */
type IdentityClient = Pick<
  Client<IssuedToken>,
  (typeof identityOperations)[number]['id'] | 'getFactors'
>

/** Creates SDK clients that call the API on behalf of a browser. */
export function createUpstreamClient(upstream: Upstream, createError: CreateError) {
  const fetchFor =
    ({ ip, protocol, host, signal }: Exchange): Fetch =>
    async (path, { method, headers, body }) =>
      await toResponse(
        await upstream({
          servedBy: ['identity'],
          method,
          path,
          headers,
          body: body === undefined ? undefined : Buffer.from(body),
          ip,
          protocol,
          host,
          signal,
        }),
      )

  const connect = (exchange: Exchange, auth: Auth<IssuedToken>): Client<IssuedToken> =>
    createClient({
      // The browser decides whether to repeat its request.
      retries: 0,
      fetch: fetchFor(exchange),
      headers: { 'x-request-id': exchange.id },
      auth,
    })

  /** A client whose requests complete even if the browser disconnects. */
  const uninterrupted = (exchange: Exchange, auth: Auth<IssuedToken>) =>
    connect({ ...exchange, signal: AbortSignal.timeout(timeout) }, auth)

  return {
    clientFor: (exchange: Exchange, token: string): IdentityClient =>
      connect(exchange, tokenAuth(token)),

    logIn: (exchange: Exchange, auth: Auth<IssuedToken>): Promise<IssuedToken> =>
      uninterrupted(exchange, auth).logIn(),

    setFirstPassword: (exchange: Exchange, body: FirstPassword) =>
      createClient({
        retries: 0,
        fetch: fetchFor({ ...exchange, signal: AbortSignal.timeout(timeout) }),
        headers: { 'x-request-id': exchange.id },
      }).setFirstPassword({ body }),

    /** Issues a child of a token for another scope. */
    rescope: (exchange: Exchange, secret: string, scope: ScopeRequest): Promise<IssuedToken> =>
      uninterrupted(exchange, tokenAuth(secret, { scope, source: 'web' })).logIn(),

    /** Revokes a token and those made from it. Errors are ignored. */
    async revokeIfPossible(exchange: Exchange, secret: string): Promise<void> {
      await uninterrupted(exchange, tokenAuth(secret))
        .logOut()
        .catch(() => {})
    },

    /** Converts SDK errors to errors of the gateway with the same class and message. */
    async translateErrors<Answer>(answer: Promise<Answer>): Promise<Answer> {
      try {
        return await answer
      } catch (error) {
        if (error instanceof ApiError) {
          const { retryAfter, fields } = error
          throw createError(error.class, error.details, {
            ...(retryAfter !== undefined && { retryAfter }),
            ...(fields.length > 0 && { fields }),
          })
        }
        if (error instanceof ConnectionError) {
          throw createError('BadGateway', 'The API does not respond.', { cause: error })
        }
        throw error
      }
    },
  }
}
export type UpstreamClient = ReturnType<typeof createUpstreamClient>
