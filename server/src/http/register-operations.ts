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
import { badField } from '../domain/error.ts'
import type { Caller } from '../domain/identity/caller.ts'
import { requireAuthorizedScope } from '../domain/identity/authorized-scope.ts'
import { readParameters } from './read-parameters.ts'
import { PendingMoment } from '../domain/inventory/history/pending-moment.ts'
import type { AuthorizedScope } from '../domain/scope.ts'
import type { RequestOrigin } from '../domain/request-origin.ts'
import type { Principal } from '../domain/identity/principal.ts'
import type { Authenticate } from './authenticate.ts'
import type { ResponseMemory } from './response-memory.ts'
import { compress, isCompressible } from './compress.ts'
import { pendingAnswer } from './inventory/pending-answer.ts'
import { addressOf, originOf } from './origin.ts'
import { createQueryReader } from './query.ts'
import type { CachedResponse, ResponseCache } from './response-cache.ts'
import { requireNothing, requireShape, readJsonBody } from './request-body.ts'
import type { Route } from './route.ts'
import { contentTypeOf, createSend, isStream, type HandlerResult } from './send.ts'
import { createBodyReader } from './validate.ts'
import { abortOnDisconnect } from './abort-on-disconnect.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Route
  }
  interface FastifyRequest {
    principal: Principal | undefined
    /** The scope of the permission that the operation requires, if it requires one. */
    authorizedScope: AuthorizedScope | undefined
    /** The query, parsed by the schema of the operation. */
    parameters: unknown
    /** The user, for the log. */
    userId: string | undefined
    /** Why a login failed, for the log. */
    reason: string | undefined
  }
}

/** The validated and authenticated request that a handler receives. */
interface Call<Op> {
  /** The path with the query string. */
  readonly url: string
  readonly parameters: ParametersOf<Op>
  readonly query: QueryOf<Op>
  readonly body: BodyOf<Op>
  readonly headers: HeadersOf<Op>
  readonly principal: Op extends { readonly access: 'token' } ? Principal : Principal | undefined
  /** The principal with its scope, if the operation requires a permission. */
  readonly caller: Op extends { readonly permission: object } ? Caller : undefined
  readonly origin: RequestOrigin
  readonly accept: string
  readonly ifNoneMatch: string | undefined
  /** The preferences of the client (RFC 7240). */
  readonly prefer: string | undefined
  /**
   * Waits until there is memory for a body of this size, and reserves it until the response ends. Without
   * `memory` it is that of pages.
   */
  readonly reserve: (bytes: number, memory?: ResponseMemory) => Promise<void>
  /** Calls this when the response has ended, also if the client went away. */
  readonly onEnd: (end: () => void) => void
}

/** Exactly one handler for each operation. */
export type HandlersFor<Operations extends readonly Operation[]> = {
  readonly [Op in Operations[number] as Op['id']]: (
    call: Call<Op>,
  ) => HandlerResult | Promise<HandlerResult>
}

export type Handlers = HandlersFor<typeof operations>

/** The argument of a handler, independent of the operation. */
type AnyCall = { readonly [Key in keyof Call<Operation>]: unknown }

interface Dependencies {
  readonly handlers: Handlers
  readonly authenticate: Authenticate
  /** Caches a response for identical requests. */
  readonly remember: ResponseCache['remember']
  /** Limits the memory of concurrent response bodies. */
  readonly bodies: ResponseMemory
  /** Whether to close the connection after the response. */
  readonly closesAfter: (request: FastifyRequest) => boolean
}

/** Registers a route for each operation of the contract. */
export function registerOperations(
  app: FastifyInstance,
  served: readonly Operation[],
  { handlers, authenticate, remember, bodies, closesAfter }: Dependencies,
): void {
  const send = createSend(closesAfter)

  /** Compresses the response if the client accepts it. Otherwise returns it synchronously. */
  function encode(
    { headers, method }: FastifyRequest,
    operation: Operation,
    result: HandlerResult,
  ): HandlerResult | Promise<HandlerResult> {
    const accepted = headers['accept-encoding']
    const coding = accepted === undefined ? undefined : chooseCoding(accepted)
    if (coding === undefined || !isCompressible(operation, contentTypeOf(operation, result))) {
      return result
    }
    // A HEAD response has no body, so the stream is not compressed.
    return method === 'HEAD' && isStream(result.body) ? result : compress(result, coding)
  }

  const explicitHeads = new Set(
    served.filter(({ method }) => method === 'HEAD').map(({ path }) => path),
  )
  for (const operation of served) {
    const id = operation.id as OperationId
    const handle = handlers[id] as (call: AnyCall) => HandlerResult | Promise<HandlerResult>
    const readBody = createBodyReader(operation)
    const readQuery = createQueryReader(operation)
    const hasParameters = operation.path.includes('{')
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
        const onEnd = (end: () => void): void => {
          if (reply.raw.destroyed) end()
          else reply.raw.once('close', end)
        }
        const call = {
          url: request.url,
          parameters: hasParameters ? readParameters(request) : {},
          query: request.parameters,
          body: operation.body
            ? readBody(readJsonBody(request, operation))
            : requireNothing(request),
          headers: operation.headers ? readHeaders(operation.headers, request) : {},
          principal,
          caller: principal &&
            authorizedScope && {
              principal,
              need: operation.permission,
              authorizedScope,
              // Both are created on demand: fast requests do not need them.
              get origin() {
                return originOf(request)
              },
              get signal() {
                return abortOnDisconnect(reply)
              },
            },
          get origin() {
            return originOf(request)
          },
          accept: request.headers.accept ?? '',
          ifNoneMatch: request.headers['if-none-match'],
          prefer: preferOf(request),
          async reserve(bytes: number, memory: ResponseMemory = bodies) {
            const release = await memory.acquire({
              principal,
              bytes,
              getSignal: () => abortOnDisconnect(reply),
            })
            onEnd(release)
          },
          onEnd,
        } satisfies AnyCall
        const result = await encode(
          request,
          operation,
          await unlessPending(request, () => handle(call)),
        )
        request.userId = result.userId ?? request.principal?.token.userId
        const sent = send(reply, operation, result)
        if (principal && result.isFresh) {
          remember(request.raw, toCachedResponse(reply, operation, principal, result))
        }
        return sent
      },
    })
  }
}

const preferOf = ({ headers: { prefer } }: FastifyRequest): string | undefined =>
  Array.isArray(prefer) ? prefer.join() : prefer

async function unlessPending(
  { url }: FastifyRequest,
  handle: () => HandlerResult | Promise<HandlerResult>,
): Promise<HandlerResult> {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof PendingMoment) return pendingAnswer(url, error)
    throw error
  }
}

/** The sent response without the headers that belong to this request only. */
function toCachedResponse(
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
    principal,
    ip: addressOf(request),
    status,
    headers: bytes ? [...headers, 'content-length', String(bytes.length)] : headers,
    body: bytes,
    isFresh,
  }
}

/** Reads the headers of the operation. */
function readHeaders(
  { properties, required }: NonNullable<Operation['headers']>,
  { headers }: FastifyRequest,
): unknown {
  const needed: readonly string[] | undefined = required
  return Object.fromEntries(
    Object.keys(properties).flatMap((name): [string, string][] => {
      const value = headers[name]
      if (typeof value === 'string' && value !== '') return [[name, value]]
      if (value === undefined && !needed?.includes(name)) return []
      throw badField(name, 'is a required header', 'MissingParameterError')
    }),
  )
}
