import type { Operation } from '@muster/contract'
import type { FastifyRequest } from 'fastify'
import { PlatformError } from '../domain/error.ts'
import { isAcceptedFrom, restrictionOf } from '../domain/identity/access-key/key-restriction.ts'
import type { Clock } from '../domain/clock.ts'
import type { Principal } from '../domain/identity/principal.ts'
import type { AuthenticateAccessKey } from '../domain/identity/authenticate-access-key.ts'
import { requireNetwork } from '../domain/identity/require-network.ts'
import type { VerifyToken } from '../domain/identity/verify-token.ts'
import type { OwnHosts } from './host.ts'
import { addressOf, isLocal, originOf } from './origin.ts'
import { findNestedCall } from './nested-calls.ts'
import type { RateLimit } from '../domain/rate-limit.ts'
import type { Route } from './route.ts'
import type { ScrapeToken } from './scrape-token.ts'

/** Signatures are not accepted here: they are valid once, and Basic credentials are sent repeatedly. */
const basicCredential = /^([\w-]{1,255}):([!-~]{1,255})$/

/** The access key and its secret in an `Authorization` header. */
function readBasic(authorization = ''): readonly [accessKey: string, secret: string] | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]{1,700}={0,2})$/i.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('latin1')
  const [, accessKey, secret] = basicCredential.exec(text) ?? []
  return accessKey === undefined || secret === undefined ? undefined : [accessKey, secret]
}

const bearerCredential = /^Bearer +([!-~]{1,1024})$/i

/** What decides how the caller of a route is authenticated. */
export type Authenticated = Pick<Operation, 'access' | 'acceptsAccessKey' | 'rateLimit'> &
  Pick<Route, 'acceptsBearer'>

interface Dependencies {
  readonly verifyToken: VerifyToken
  readonly authenticateAccessKey: AuthenticateAccessKey
  /** Absent without a limit. */
  readonly requestLimit: RateLimit | undefined
  readonly ownHosts: Pick<OwnHosts, 'isOwn'>
  /** Absent unless the operator has set one. */
  readonly scrapeToken: ScrapeToken | undefined
  readonly clock: Clock
}

/** At each use, because a token can be sent from elsewhere than the login. */
function requireAddress({ token }: Principal, request: FastifyRequest): void {
  const restriction = restrictionOf(token)
  if (!restriction?.networks || isAcceptedFrom(restriction, addressOf(request))) return
  throw new PlatformError(
    'UnauthorizedError',
    `The access key of this token is not accepted from ${addressOf(request)}. Send the request from one of its networks, or use another key.`,
  )
}

/** Authenticates the caller before the body is read. Every API route uses it. */
export function createAuthenticate(dependencies: Dependencies) {
  const { verifyToken, authenticateAccessKey, requestLimit, ownHosts, scrapeToken, clock } =
    dependencies

  async function findPrincipal(
    { acceptsAccessKey, acceptsBearer }: Authenticated,
    request: FastifyRequest,
  ): Promise<Principal | undefined> {
    const nested = findNestedCall(request.headers)
    if (nested) return await nested.authenticate()
    const { 'x-auth-token': secret, authorization = '' } = request.headers
    if (typeof secret === 'string') return await verifyToken(secret)
    const bearer = acceptsBearer ? bearerCredential.exec(authorization)?.[1] : undefined
    if (bearer !== undefined) return await verifyToken(bearer)
    const basic = acceptsAccessKey ? readBasic(authorization) : undefined
    return basic && (await authenticateAccessKey(...basic, originOf(request)))
  }

  async function requireToken(operation: Authenticated, request: FastifyRequest) {
    const principal = await findPrincipal(operation, request)
    if (!principal) {
      const header = operation.acceptsBearer ? 'Authorization: Bearer' : 'X-Auth-Token'
      throw new PlatformError(
        'UnauthorizedError',
        `The ${header} header is missing, or its token is invalid or expired. Log in with POST /v3/auth/tokens${operation.acceptsAccessKey ? ', or send an access key and its secret by HTTP Basic' : ''}.`,
      )
    }
    requireAddress(principal, request)
    if (principal.networks) requireNetwork(principal, addressOf(request))
    if (operation.rateLimit === 'token' && requestLimit) {
      requestLimit.demand(principal.token.id, clock())
      requestLimit.count(principal.token.id, clock())
    }
    return principal
  }

  return async function authenticate(
    operation: Authenticated,
    request: FastifyRequest,
  ): Promise<Principal | undefined> {
    switch (operation.access) {
      case 'public':
        return undefined
      case 'token':
        return await requireToken(operation, request)
      case 'loopback':
        if (scrapeToken?.isIn(request.headers.authorization)) return undefined
        // If a scrape token is set, local callers need it too: a proxy on this machine may forward requests.
        if (!scrapeToken && isLocal(request) && ownHosts.isOwn(request)) return undefined
        return await requireToken(operation, request)
    }
  }
}
export type Authenticate = ReturnType<typeof createAuthenticate>
