import {
  chooseCoding,
  methodsOf,
  type operations,
  type BodyOf,
  type HeadersOf,
  type ParametersOf,
  type QueryOf,
  type Operation,
  type OperationId,
} from '@muster/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badField, PlatformError } from '../domain/error.ts'
import type { Caller } from '../domain/identity/caller.ts'
import { requireAuthorizedScope } from '../domain/identity/authorized-scope.ts'
import type { AuthorizedScope } from '../domain/scope.ts'
import type { RequestOrigin } from '../domain/request-origin.ts'
import type { Principal } from '../domain/identity/principal.ts'
import type { Authenticate } from './authenticate.ts'
import type { ResponseMemory } from './response-memory.ts'
import { createCompress, isCompressible } from './compress.ts'
import { addressOf, originOf } from './origin.ts'
import { createQueryReader } from './query.ts'
import type { CachedResponse, ResponseCache } from './response-cache.ts'
import { requireNothing, requireShape, readJsonBody } from './request-body.ts'
import type { Route } from './route.ts'
import { contentTypeOf, createSend, isStream, type HandlerResult } from './send.ts'
import { createBodyReader } from './validate.ts'
import { whenGone } from './when-gone.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Route
  }
  interface FastifyRequest {
    principal: Principal | undefined
    /** How far the principal may go in the operation, where that needs a right. */
    authorizedScope: AuthorizedScope | undefined
    /** The query, as the operation's schema reads it. */
    parameters: unknown
    /** For the log: who this turned out to be. */
    userId: string | undefined
    /** For the log: why a login failed. */
    reason: string | undefined
  }
}

/** A request as a handler sees it: checked against the contract, its caller known. */
interface Call<Op> {
  /** As it was asked for, with its query. */
  readonly url: string
  readonly parameters: ParametersOf<Op>
  readonly query: QueryOf<Op>
  readonly body: BodyOf<Op>
  readonly headers: HeadersOf<Op>
  readonly principal: Op extends { readonly access: 'token' } ? Principal : Principal | undefined
  /** Who asks, and how far they may go, where the operation needs a right. */
  readonly caller: Op extends { readonly permission: object } ? Caller : undefined
  readonly origin: RequestOrigin
  readonly accept: string
  readonly ifNoneMatch: string | undefined
  /** Resolves when there is room for a body of about so many bytes; until the response ends, it takes that room. */
  readonly reserve: (bytes: number) => Promise<void>
}

/** One handler for each of these operations: one more or one fewer does not compile. */
export type HandlersFor<Operations extends readonly Operation[]> = {
  readonly [Op in Operations[number] as Op['id']]: (
    call: Call<Op>,
  ) => HandlerResult | Promise<HandlerResult>
}

export type Handlers = HandlersFor<typeof operations>

/** What every handler takes, whatever its operation. */
type AnyCall = { readonly [Key in keyof Call<Operation>]: unknown }

interface Dependencies {
  readonly handlers: Handlers
  readonly authenticate: Authenticate
  /** Keeps an answer for requests that are the same. */
  readonly remember: ResponseCache['remember']
  /** Limits the bytes of bodies in memory at the same time. */
  readonly bodies: ResponseMemory
  /** Whether an answer is the last on its connection. */
  readonly closesAfter: (request: FastifyRequest) => boolean
}

/** Turns the contract's operations into routes. */
export function registerOperations(
  app: FastifyInstance,
  served: readonly Operation[],
  { handlers, authenticate, remember, bodies, closesAfter }: Dependencies,
): void {
  const send = createSend(closesAfter)
  const compress = createCompress()

  /** As the client wants it. Who does not ask for compression waits for nothing. */
  function encode(
    { headers, method }: FastifyRequest,
    operation: Operation,
    outcome: HandlerResult,
  ): HandlerResult | Promise<HandlerResult> {
    const coding = chooseCoding(headers['accept-encoding'])
    if (coding === undefined || !isCompressible(operation, contentTypeOf(operation, outcome))) {
      return outcome
    }
    // Nobody reads the body of a stream that HEAD asks for, so nothing of it is compressed.
    return method === 'HEAD' && isStream(outcome.body) ? outcome : compress(outcome, coding)
  }

  const explicitHeads = new Set(
    served.filter(({ method }) => method === 'HEAD').map(({ path }) => path),
  )
  for (const operation of served) {
    const id = operation.id as OperationId
    const handle = handlers[id] as (call: AnyCall) => HandlerResult | Promise<HandlerResult>
    const readBody = createBodyReader(operation)
    const readQuery = createQueryReader(operation)
    app.route({
      method: methodsOf(operation),
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: operation.method === 'GET' && !explicitHeads.has(operation.path),
      config: { operation },
      async onRequest(request) {
        request.principal = await authenticate(operation, request)
        if (operation.permission && request.principal) {
          request.authorizedScope = requireAuthorizedScope(request.principal, operation.permission)
        }
        request.parameters = readQuery(request.url)
        requireShape(operation, request)
      },
      async handler(request, reply) {
        const { principal, authorizedScope } = request
        const origin = originOf(request)
        const call = {
          url: request.url,
          parameters: readParameters(request),
          query: request.parameters,
          body: operation.body ? readBody(readJsonBody(request)) : requireNothing(request),
          headers: readHeaders(operation, request),
          principal,
          caller: principal &&
            authorizedScope && {
              principal,
              need: operation.permission,
              authorizedScope,
              origin,
              // Made where it is asked for: quick requests do without.
              get signal() {
                return whenGone(reply)
              },
            },
          origin,
          accept: request.headers.accept ?? '',
          ifNoneMatch: request.headers['if-none-match'],
          async reserve(bytes: number) {
            const release = await bodies.acquire({ principal, bytes, signal: whenGone(reply) })
            if (reply.raw.destroyed) release()
            else reply.raw.once('close', release)
          },
        } satisfies AnyCall
        const outcome = await encode(request, operation, await handle(call))
        request.userId = outcome.userId ?? request.principal?.token.userId
        const sent = send(reply, operation, outcome)
        if (principal && outcome.isFresh) {
          remember(request.raw, toRepeatable(reply, operation, principal, outcome))
        }
        return sent
      },
    })
  }
}

/** An answer as it was sent, but for what is of this one request. */
function toRepeatable(
  reply: FastifyReply,
  operation: Operation,
  principal: Principal,
  { status, body, isFresh = () => false }: HandlerResult,
): CachedResponse {
  const { request } = reply
  const [bytes] = Array.isArray(body) ? (body as readonly Buffer[]) : []
  const headers = Object.entries(reply.getHeaders())
    .filter(([name]) => name !== 'x-request-id' && name !== 'content-length')
    .flatMap(([name, value]) => [name, String(value)])
  return {
    operation,
    secret: String(request.headers['x-auth-token']),
    principal,
    ip: addressOf(request),
    status,
    headers: bytes ? [...headers, 'content-length', String(bytes.length)] : headers,
    body: bytes,
    isFresh,
  }
}

function readParameters({ params }: FastifyRequest): unknown {
  if (Object.values(params as Record<string, string>).some((value) => value.includes('\0'))) {
    throw new PlatformError('InvalidFormatError', 'The path contains a NUL character.')
  }
  return params
}

/** Headers are single texts; one that the operation needs must be there. */
function readHeaders(operation: Operation, { headers }: FastifyRequest): unknown {
  const names = Object.keys(operation.headers?.properties ?? {})
  return Object.fromEntries(
    names.map((name) => {
      const value = headers[name]
      if (typeof value !== 'string' || value === '') {
        throw badField(name, 'is a required header', 'MissingParameterError')
      }
      return [name, value]
    }),
  )
}
