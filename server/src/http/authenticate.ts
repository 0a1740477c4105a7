import type { Operation } from '@muster/contract'
import type { FastifyRequest } from 'fastify'
import { PlatformError } from '../domain/error.ts'
import type { Clock } from '../domain/clock.ts'
import type { Principal } from '../domain/identity/principal.ts'
import type { VerifyToken } from '../domain/identity/verify-token.ts'
import type { OwnHosts } from './host.ts'
import { isLocal } from './origin.ts'
import type { RateLimit } from '../domain/rate-limit.ts'
import type { ScrapeToken } from './scrape-token.ts'

interface Dependencies {
  readonly verifyToken: VerifyToken
  /** Absent without a limit. */
  readonly requestLimit: RateLimit | undefined
  readonly ownHosts: Pick<OwnHosts, 'isOwn'>
  /** Absent unless the operator has set one. */
  readonly scrapeToken: ScrapeToken | undefined
  readonly clock: Clock
}

/** Authenticates the caller before the body is read. Every API route uses it. */
export function createAuthenticate(dependencies: Dependencies) {
  const { verifyToken, requestLimit, ownHosts, scrapeToken, clock } = dependencies

  async function requireToken(
    { rateLimit }: Operation,
    request: FastifyRequest,
  ): Promise<Principal> {
    const secret = request.headers['x-auth-token']
    const principal = typeof secret === 'string' ? await verifyToken(secret) : undefined
    if (!principal) {
      throw new PlatformError(
        'UnauthorizedError',
        'The X-Auth-Token header is missing, or its token is invalid or expired. Log in with POST /v3/auth/tokens.',
      )
    }
    if (rateLimit === 'token' && requestLimit) {
      requestLimit.demand(principal.token.id, clock())
      requestLimit.count(principal.token.id, clock())
    }
    return principal
  }

  return async function authenticate(
    operation: Operation,
    request: FastifyRequest,
  ): Promise<Principal | undefined> {
    switch (operation.access) {
      case 'public':
        return undefined
      case 'token':
        return await requireToken(operation, request)
      case 'loopback':
        if (scrapeToken?.isIn(request.headers.authorization)) return undefined
        // With a scrape token nobody gets in without one: a proxy on this machine may forward requests.
        if (!scrapeToken && isLocal(request) && ownHosts.isOwn(request)) return undefined
        return await requireToken(operation, request)
    }
  }
}
export type Authenticate = ReturnType<typeof createAuthenticate>
