import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { jsonContentType, type Operation } from '@muster/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a handler answers. */
export interface HandlerResult {
  readonly status: number
  /** Where it is not what the contract says the answer is in. */
  readonly contentType?: string
  /** Who a caller without a token turned out to be. */
  readonly userId?: string
  /** Text or bytes as they are, pieces of bytes, a stream of them; anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Where the same request may be given the same answer again: for how long. */
  readonly isFresh?: () => boolean
}

/** Of a large body, so much goes to the gateway at once. */
const chunkSize = 65_536

/** Whether the gateway of this process asks: it holds all that is written in memory until its client reads it. */
const isForGateway = ({ raw }: FastifyReply): boolean => 'isLightMyRequest' in raw

function* chunksOf(pieces: readonly Buffer[]): Generator<Buffer> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += chunkSize) yield piece.subarray(at, at + chunkSize)
  }
}

const asItIs = (text: unknown): string => text as string

export const isStream = (body: unknown): body is AsyncIterable<Buffer> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

export const isPieces = (body: unknown): body is readonly Buffer[] =>
  Array.isArray(body) && body[0] instanceof Buffer

export const contentTypeOf = (
  operation: Operation,
  { status, contentType }: HandlerResult,
): string => contentType ?? operation.responses[status]?.contentType ?? jsonContentType

/** Sends the answers of handlers. */
export function createSend(closesAfter: (request: FastifyRequest) => boolean) {
  /** Pieces go out as they are: joining 75 kB for each page costs as much as finding it. */
  function sendPieces(reply: FastifyReply, pieces: readonly Buffer[]): FastifyReply {
    const [only, ...others] = pieces
    const { raw, request } = reply
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (isForGateway(reply) && length > chunkSize && request.method !== 'HEAD') {
      // As fast as it is read, so that the response, and the memory reserved for it, ends with the client's.
      reply.header('content-length', length)
      return reply.send(Readable.from(chunksOf(pieces), { objectMode: false }))
    }
    if (only && others.length === 0) return reply.send(only)
    reply.header('content-length', length)
    if (closesAfter(request)) reply.header('connection', 'close')
    reply.hijack()
    raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
    raw.cork()
    if (request.method !== 'HEAD') for (const piece of pieces) raw.write(piece)
    raw.end()
    raw.uncork()
    return reply
  }

  function sendStream(reply: FastifyReply, body: AsyncIterable<Buffer>): FastifyReply {
    // Nobody reads what a HEAD would be followed by, so nothing more is made of it.
    return reply.request.method === 'HEAD'
      ? reply.send()
      : reply.send(body instanceof Readable ? body : Readable.from(body, { objectMode: false }))
  }

  return function send(
    reply: FastifyReply,
    operation: Operation,
    outcome: HandlerResult,
  ): FastifyReply {
    const { status, body, headers } = outcome
    reply.code(status)
    if (headers) reply.headers(headers)
    if (body === undefined) return reply.send()
    reply.header('content-type', contentTypeOf(operation, outcome))
    if (body instanceof Buffer) return reply.send(body)
    if (isPieces(body)) return sendPieces(reply, body)
    if (isStream(body)) return sendStream(reply, body)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    // Serialised already; as text it leaves in one piece with the headers, and its type stays as it is.
    return reply.serializer(asItIs).send(text)
  }
}
