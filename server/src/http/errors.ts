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

/** Maps errors of Fastify to API errors. An error without an entry is a 500. */
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

/** Converts any error. An unknown one becomes a 500 without details. */
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
  ...(error.values && { values: error.values }),
})

/** The token operation uses plain `application/json`, also for errors. */
function errorContentType(operation: Route | undefined): string {
  const [answer] = Object.values(operation?.responses ?? {})
  const declared = answer?.contentType
  return declared?.startsWith('application/json') ? declared : jsonContentType
}

interface Settings {
  readonly authUrl: string
  readonly clock: () => number
}

/** Logs a 500 with its stack. Temporary errors are logged without, since there may be many. */
function logFault(faults: FaultLog, request_id: string, error: PlatformError): void {
  const { status, message, cause } = error
  if (status === 500) {
    faults.write({ level: 'error', message, fields: { request_id, err: cause }, error: cause })
  } else if (cause !== undefined) {
    faults.write({ level: 'warn', message, fields: { request_id, cause }, error: cause })
  }
}

/** Basic only where it is accepted, because browsers then ask for a password. */
const challenge = (authUrl: string, operation: Route | undefined): string =>
  `Keystone uri="${authUrl}"${operation?.acceptsAccessKey ? ', Basic realm="Muster"' : ''}`

/** Sends every error in the format of the contract. */
export function createErrorHandler({ authUrl, clock }: Settings, faults: FaultLog) {
  return function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = toPlatformError(thrown)
    if (error.status >= 500) logFault(faults, request.id, error)
    if (typeof error.cause === 'string') request.reason = error.cause
    const operation = request.routeOptions.config.operation
    if (error.status === 401) reply.header('www-authenticate', challenge(authUrl, operation))
    if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter)
    reply
      .code(error.status)
      .header('content-type', errorContentType(operation))
      .send(Buffer.from(JSON.stringify(errorBody(error, request.id, clock()))))
  }
}

interface ClientError extends Error {
  readonly code?: string
  /** The bytes that could not be parsed. */
  readonly rawPacket?: unknown
}

/** Answers errors that occur before there is a request: broken framing, large headers, slow senders. */
export function createClientErrorHandler({ clock }: Pick<Settings, 'clock'>) {
  return function answerClientError(thrown: ClientError, socket: Socket): void {
    const cannotRespond = !socket.writable || refusedSockets.has(socket)
    if (thrown.code === 'ECONNRESET' || cannotRespond) socket.destroy()
    else answerRaw(socket, framingFault(thrown), clock())
  }
}

/** Sockets whose request was refused by its headers. A later error in its body gets no second response. */
const refusedSockets = new WeakSet<Socket>()
export const noteRefused = (socket: Socket): void => void refusedSockets.add(socket)

/** CONNECT is not supported. Node passes such a request as a bare socket. */
export const refuseConnect = (_request: unknown, socket: Duplex): void =>
  answerRaw(socket, { status: 405, error: unsupportedMethod() }, Date.now())

interface Fault {
  readonly status: number
  readonly error: PlatformError
}

const unsupportedMethod = () =>
  new PlatformError('MethodNotAllowedError', `Unsupported method. Supported: ${allMethods}.`)
const malformed = () => new PlatformError('InvalidFormatError', 'Malformed HTTP request.')
const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE'

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
      return fault(requestLine.test(asText(rawPacket)) ? unsupportedMethod() : malformed())
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      // HTTP has a separate status for slow senders. The error class is that of every timeout.
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
      ...(status === 405 ? [`Allow: ${allMethods}`] : []),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
