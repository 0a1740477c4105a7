import { buffer } from 'node:stream/consumers'
import type { ScopeRequest } from '@muster/contract'
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
import type { Refuse, Upstream, UpstreamAnswer } from './ports.ts'

/** How long a token is waited for that has to be in somebody's hands, or gone, though the browser left. */
const patience = 60_000

const bodiless = new Set([204, 205, 304])

async function toResponse({ status, headers, body }: UpstreamAnswer): Promise<Response> {
  const bytes = await buffer(body)
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new Response(bodiless.has(status) ? null : bytes, { status, headers: pairs })
}

/** The API as the SDK speaks to it, on behalf of whoever asks the gateway. */
export function createUpstreamClient(upstream: Upstream, refuse: Refuse) {
  const fetchFor =
    ({ ip, protocol, host, signal }: Exchange): Fetch =>
    async (path, { method, headers, body }) =>
      await toResponse(
        await upstream({
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
      fetch: fetchFor(exchange),
      headers: { 'x-request-id': exchange.id },
      auth,
    })

  /** On behalf of a browser, and to the end even if that goes away. */
  const steady = (exchange: Exchange, auth: Auth<IssuedToken>) =>
    connect({ ...exchange, signal: AbortSignal.timeout(patience) }, auth)

  return {
    clientFor: (exchange: Exchange, token: string): Client<IssuedToken> =>
      connect(exchange, tokenAuth(token)),

    logIn: (exchange: Exchange, auth: Auth<IssuedToken>): Promise<IssuedToken> =>
      steady(exchange, auth).logIn(),

    /** A child of a token, for another scope. */
    rescope: (exchange: Exchange, secret: string, scope: ScopeRequest): Promise<IssuedToken> =>
      steady(exchange, tokenAuth(secret, { scope, source: 'web' })).logIn(),

    /** Ends a token, and those made from it. Who wants it gone has nothing to add where it stays. */
    async revokeIfPossible(exchange: Exchange, secret: string): Promise<void> {
      await steady(exchange, tokenAuth(secret))
        .logOut()
        .catch(() => {})
    },

    /** What the API refuses is refused in its words. */
    async ask<Answer>(answer: Promise<Answer>): Promise<Answer> {
      try {
        return await answer
      } catch (error) {
        if (error instanceof ApiError) {
          const { retryAfter, fields } = error
          throw refuse(error.class, error.details, {
            ...(retryAfter !== undefined && { retryAfter }),
            ...(fields.length > 0 && { fields }),
          })
        }
        if (error instanceof ConnectionError) {
          throw refuse('BadGateway', 'The API does not respond.', { cause: error })
        }
        throw error
      }
    },
  }
}
export type UpstreamClient = ReturnType<typeof createUpstreamClient>
