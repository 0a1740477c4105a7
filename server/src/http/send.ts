import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { jsonContentType, type Operation } from '@muster/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The response of a handler. */
export interface HandlerResult {
  readonly status: number
  /** Only if it differs from the content type in the contract. */
  readonly contentType?: string
  /** The user of a request without a token, such as a login. For the log. */
  readonly userId?: string
  /** A string, a buffer, a list of buffers or a stream is sent unchanged, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Makes the response cacheable for as long as this returns true. */
  readonly isFresh?: () => boolean
}

/** Chunk size of large bodies for the gateway, in bytes. */
const chunkSize = 65_536

/** Whether the request comes from the gateway in this process. It buffers all written bytes until its client reads them. */
const isForGateway = ({ raw }: FastifyReply): boolean => 'isLightMyRequest' in raw

function* chunksOf(pieces: readonly Buffer[]): Generator<Buffer> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += chunkSize) yield piece.subarray(at, at + chunkSize)
  }
}

const passThrough = (text: unknown): string => text as string

export const isStream = (body: unknown): body is AsyncIterable<Buffer> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

export const isPieces = (body: unknown): body is readonly Buffer[] =>
  Array.isArray(body) && body[0] instanceof Buffer

export const contentTypeOf = (
  operation: Operation,
  { status, contentType }: HandlerResult,
): string => contentType ?? operation.responses[status]?.contentType ?? jsonContentType

/** Sends the responses of handlers. */
export function createSend(closesAfter: (request: FastifyRequest) => boolean) {
  /** Writes the buffers without joining them: joining 75 kB for each page costs as much as the query. */
  function sendPieces(reply: FastifyReply, pieces: readonly Buffer[]): FastifyReply {
    const [only, ...others] = pieces
    const { raw, request } = reply
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (isForGateway(reply) && length > chunkSize && request.method !== 'HEAD') {
      // With backpressure, so that the memory reserved for the response is held until the client has read it.
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
    // A HEAD response has no body, so the stream is not read. An empty one sets no Content-Length of 0.
    return reply.request.method === 'HEAD'
      ? reply.send(Readable.from([]))
      : reply.send(body instanceof Readable ? body : Readable.from(body, { objectMode: false }))
  }

  return function send(
    reply: FastifyReply,
    operation: Operation,
    result: HandlerResult,
  ): FastifyReply {
    const { status, body, headers } = result
    reply.code(status)
    if (headers) reply.headers(headers)
    if (body === undefined) return reply.send()
    reply.header('content-type', contentTypeOf(operation, result))
    if (body instanceof Buffer) return reply.send(body)
    if (isPieces(body)) return sendPieces(reply, body)
    if (isStream(body)) return sendStream(reply, body)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    // Already serialized. As a string it is sent in one write with the headers.
    return reply.serializer(passThrough).send(text)
  }
}
