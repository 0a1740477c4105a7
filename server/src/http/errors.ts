import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { jsonContentType, type ErrorBody } from '@muster/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PlatformError } from '../domain/error.ts'
import { timestamp } from '../domain/timestamp.ts'
import type { FaultLog } from './fault-log.ts'
import { makeRequestId } from './request-id.ts'
import type { Route } from './route.ts'

/** What the framework itself refuses, in our words. Anything it does not name here is a fault of ours. */
const frameworkErrors: Readonly<Record<string, () => PlatformError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new PlatformError('TooLargeEntity', 'The request body is larger than 64 KiB.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new PlatformError('InvalidFormatError', 'The body does not match its Content-Length.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unsupportedMediaType(),
  FST_ERR_CTP_INVALID_CONTENT_TYPE: () => unsupportedMediaType(),
  FST_ERR_BAD_URL: () => new PlatformError('InvalidFormatError', 'The path is invalid.'),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    new PlatformError('NotFoundError', 'No such path. See /docs for the API reference.'),
  ECONNRESET: () =>
    new PlatformError(
      'InvalidFormatError',
      'The connection closed before the request was complete.',
    ),
}

export const unsupportedMediaType = () =>
  new PlatformError(
    'UnsupportedMediaTypeError',
    'Send the body as application/json in UTF-8, without Content-Encoding.',
  )

/** Any error as one of ours: an unknown one is a 500 that says nothing. */
function toPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  const known = frameworkErrors[(error as { code?: string }).code ?? '']
  return (
    known?.() ??
    new PlatformError(
      'InternalServerError',
      'Internal error. Details are in the server log under this request id.',
      {
        cause: error,
      },
    )
  )
}

export const errorBody = (error: PlatformError, requestId: string, now: number): ErrorBody => ({
  code: error.status,
  class: error.class,
  details: error.message,
  request_id: requestId,
  time: timestamp(now),
  ...(error.fields && { fields: [...error.fields] }),
})

/** The token operation answers with plain `application/json`, its errors included. */
function errorContentType(operation: Route | undefined): string {
  const [answer] = Object.values(operation?.responses ?? {})
  const declared = answer?.contentType
  return declared?.startsWith('application/json') ? declared : jsonContentType
}

interface Settings {
  readonly authUrl: string
  readonly clock: () => number
}

/** A fault of ours with all that is known of it; a passing one in a word, since there may be many. */
function logFault(faults: FaultLog, request_id: string, error: PlatformError): void {
  const { status, message, cause } = error
  if (status === 500) {
    faults.write({ level: 'error', message, fields: { request_id, err: cause }, error: cause })
  } else if (cause !== undefined) {
    faults.write({ level: 'warn', message, fields: { request_id, cause }, error: cause })
  }
}

/** Answers every error alike. */
export function createErrorHandler({ authUrl, clock }: Settings, faults: FaultLog) {
  return function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = toPlatformError(thrown)
    if (error.status >= 500) logFault(faults, request.id, error)
    if (typeof error.cause === 'string') request.reason = error.cause
    if (error.status === 401) reply.header('www-authenticate', `Keystone uri="${authUrl}"`)
    if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter)
    const operation = request.routeOptions.config.operation
    reply
      .code(error.status)
      .header('content-type', errorContentType(operation))
      .send(Buffer.from(JSON.stringify(errorBody(error, request.id, clock()))))
  }
}

interface ClientError extends Error {
  readonly code?: string
  /** What was being read when it went wrong. */
  readonly rawPacket?: unknown
}

/** Answers what never became a request: broken framing, a header block too large, too slow a sender. */
export function createClientErrorHandler({ clock }: Pick<Settings, 'clock'>) {
  return function answerClientError(thrown: ClientError, socket: Socket): void {
    const isPastAnswering = !socket.writable || refusedSockets.has(socket)
    if (thrown.code === 'ECONNRESET' || isPastAnswering) socket.destroy()
    else answerRaw(socket, framingFault(thrown), clock())
  }
}

/** Where the head of a request was refused, its body may still come to grief: one answer is enough. */
const refusedSockets = new WeakSet<Socket>()
export const noteRefused = (socket: Socket): void => void refusedSockets.add(socket)

/** Muster is nobody's tunnel. Node hands such a request over as a bare socket. */
export const refuseConnect = (_request: unknown, socket: Duplex): void =>
  answerRaw(socket, { status: 405, error: methodUnknown() }, Date.now())

interface Fault {
  readonly status: number
  readonly error: PlatformError
}

const methodUnknown = () =>
  new PlatformError('MethodNotAllowedError', `Unsupported method. Supported: ${everyMethod}.`)
const malformed = () => new PlatformError('InvalidFormatError', 'Malformed HTTP request.')
const everyMethod = 'GET, HEAD, POST, PUT, PATCH, DELETE'

const asText = (packet: unknown) => (Buffer.isBuffer(packet) ? packet.toString('latin1') : '')
const requestLine = /^[A-Za-z]+ \S+ HTTP\/1\.[01]\r\n/

function framingFault({ code = '', rawPacket }: ClientError): Fault {
  const fault = (error: PlatformError) => ({ status: error.status, error })
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return fault(
        new PlatformError('HeaderTooLargeError', 'The request headers are larger than 16 KiB.'),
      )
    case 'HPE_INVALID_METHOD':
      return fault(requestLine.test(asText(rawPacket)) ? methodUnknown() : malformed())
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      // HTTP has a status of its own for a slow sender; the class is that of any time-out.
      return {
        status: 408,
        error: new PlatformError('TimeoutError', 'The request did not arrive in time.'),
      }
    default:
      return fault(malformed())
  }
}

function answerRaw(socket: Duplex, { status, error }: Fault, now: number): void {
  const requestId = makeRequestId()
  const body = JSON.stringify({ ...errorBody(error, requestId, now), code: status })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: ${jsonContentType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      `Date: ${new Date(now).toUTCString()}`,
      ...(status === 405 ? [`Allow: ${everyMethod}`] : []),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
