import {
  jsonContentType,
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
import { demandReach, type Reach } from '../domain/identity/reach.ts'
import type { Origin } from '../domain/identity/records.ts'
import type { Principal } from '../domain/identity/principal.ts'
import type { Authenticate } from './authenticate.ts'
import { unsupportedMediaType } from './errors.ts'
import { countHeader } from './header-count.ts'
import { methodsOf } from './methods.ts'
import { originOf } from './origin.ts'
import { createQueryReader } from './query.ts'
import { parseStrictJson } from './strict-json.ts'
import { createBodyReader } from './validate.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
  interface FastifyRequest {
    principal: Principal | undefined
    /** How far the principal may go in the operation, where that needs a right. */
    reach: Reach | undefined
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
  readonly caller: Op extends { readonly needs: object } ? Caller : undefined
  readonly origin: Origin
  readonly accept: string
}

interface Outcome {
  readonly status: number
  /** Who a caller without a token turned out to be. */
  readonly userId?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type OperationOf<Id extends OperationId> = Extract<(typeof operations)[number], { id: Id }>

/** One handler for each operation: one more or one fewer does not compile. */
export type Handlers = {
  readonly [Id in OperationId]: (call: Call<OperationOf<Id>>) => Outcome | Promise<Outcome>
}

/** What every handler takes, whatever its operation. */
type AnyCall = { readonly [Key in keyof Call<Operation>]: unknown }

/** What an operation asks of a request before anything else. */
export type Preamble = (request: FastifyRequest) => void

interface Dependencies {
  readonly handlers: Handlers
  readonly authenticate: Authenticate
  readonly preambles: Partial<Record<OperationId, Preamble>>
}

/** Turns the contract's operations into routes. */
export function mountOperations(
  app: FastifyInstance,
  served: readonly Operation[],
  { handlers, authenticate, preambles }: Dependencies,
): void {
  const explicitHeads = new Set(
    served.filter(({ method }) => method === 'HEAD').map(({ path }) => path),
  )
  for (const operation of served) {
    const id = operation.id as OperationId
    const handle = handlers[id] as (call: AnyCall) => Outcome | Promise<Outcome>
    const readBody = createBodyReader(operation)
    const readQuery = createQueryReader(operation)
    app.route({
      method: methodsOf(operation),
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: operation.method === 'GET' && !explicitHeads.has(operation.path),
      config: { operation },
      async onRequest(request) {
        preambles[id]?.(request)
        request.principal = await authenticate(operation, request)
        if (operation.needs && request.principal) {
          request.reach = demandReach(request.principal, operation.needs)
        }
        request.parameters = readQuery(request.url)
        demandShape(operation, request)
      },
      async handler(request, reply) {
        const { principal, reach } = request
        const origin = originOf(request)
        const call = {
          url: request.url,
          parameters: readParameters(request),
          query: request.parameters,
          body: operation.body && readBody(parseBody(request)),
          headers: readHeaders(operation, request),
          principal,
          caller: principal && reach && { principal, need: operation.needs, reach, origin },
          origin,
          accept: request.headers.accept ?? '',
        } satisfies AnyCall
        const outcome = await handle(call)
        request.userId = outcome.userId ?? request.principal?.token.userId
        return send(reply, operation, outcome)
      },
    })
  }
}

function readParameters({ params }: FastifyRequest): unknown {
  if (Object.values(params as Record<string, string>).some((value) => value.includes('\0'))) {
    throw new PlatformError('InvalidFormatError', 'The path holds a NUL character.')
  }
  return params
}

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Refuses, before the body is read, what the operation could not understand anyway. */
function demandShape(operation: Operation, request: FastifyRequest): void {
  const { raw, headers } = request
  const type = headers['content-type']
  const carriesBody = hasBody(request)
  if (type === undefined ? carriesBody : !isJson(type)) throw unsupportedMediaType()
  const coding = headers['content-encoding'] ?? 'identity'
  if (coding !== 'identity' || countHeader(raw, 'content-type') > 1) throw unsupportedMediaType()
  if (carriesBody && !operation.body) {
    throw new PlatformError('InputParameterError', 'This operation takes no body.')
  }
}

/** `application/json`, and if a charset is named, UTF-8. */
function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='))
  return (
    type === 'application/json' &&
    charsets.length <= 1 &&
    charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset))
  )
}

function parseBody({ body }: FastifyRequest): unknown {
  if (!(body instanceof Buffer) || body.length === 0) {
    throw badField('body', 'is required', 'MissingParameterError')
  }
  return parseStrictJson(body)
}

/** Headers are single texts; one that the operation needs must be there. */
function readHeaders(operation: Operation, { headers }: FastifyRequest): unknown {
  const names = Object.keys(operation.headers?.properties ?? {})
  return Object.fromEntries(
    names.map((name) => {
      const value = headers[name]
      if (typeof value !== 'string' || value === '') {
        throw badField(name, 'is a header that this operation needs', 'MissingParameterError')
      }
      return [name, value]
    }),
  )
}

const asItIs = (text: unknown): string => text as string

function send(reply: FastifyReply, operation: Operation, outcome: Outcome): FastifyReply {
  const { status, body, headers } = outcome
  reply.code(status)
  if (headers) reply.headers(headers)
  if (body === undefined) return reply.send()
  const contentType = operation.answers[status]?.contentType ?? jsonContentType
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  // Serialised already; as text it leaves in one piece with the headers, and its type stays as it is.
  return reply.header('content-type', contentType).serializer(asItIs).send(text)
}
