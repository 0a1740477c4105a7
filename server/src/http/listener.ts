import { METHODS, type IncomingMessage } from 'node:http'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { PlatformError } from '../domain/error.ts'
import {
  createClientErrorHandler,
  createErrorHandler,
  noteRefused,
  refuseConnect,
} from './errors.ts'
import { createFaultLog } from './fault-log.ts'
import { readHostName } from './host.ts'
import { requestIdOrNew } from './request-id.ts'
import type { Route } from './route.ts'

const maxBodySize = 64 * 1_024
const maxHeaderBytes = 16 * 1_024
/** All ids are shorter, so a longer one cannot exist. */
const maxParameterLength = 255
const maxHeaders = 100
const targetShape = /^\/[^#]*$/

export interface ListenerSettings {
  readonly authUrl: string
  readonly trustedProxies: readonly string[]
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly clock: () => number
  readonly logger: FastifyBaseLogger
}

/** Headers of every response of an operation, including errors. */
export type OwnHeaders = (operation: Route | undefined) => Readonly<Record<string, string>>

/** Creates a Fastify server with the limits, headers and error format of the contract. */
export function createListener(
  settings: ListenerSettings,
  ownHeaders: OwnHeaders,
): FastifyInstance {
  const { tls, trustedProxies, clock, logger } = settings
  const faults = createFaultLog(logger)
  const answerError = createErrorHandler(settings, faults)
  const limits = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 5_000,
    // A request is closed up to one interval after its limit, so within 10 s.
    requestTimeout: 9_000,
    connectionsCheckingInterval: 1_000,
    // Checked in a hook instead, so that the error has the usual format.
    requireHostHeader: false,
  }
  const options: FastifyServerOptions = {
    ...(tls ? { https: { ...limits, ...tls } } : { http: limits }),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request costs more than the token check. Log calls add the request id.
    childLoggerFactory: (parent) => parent,
    genReqId: ({ headers }) => requestIdOrNew(headers['x-request-id']),
    requestIdHeader: false,
    rewriteUrl: (request) => withoutOrigin(request.url ?? ''),
    bodyLimit: maxBodySize,
    requestTimeout: limits.requestTimeout,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: maxParameterLength,
      // Each operation parses its own query.
      querystringParser: () => ({}),
    },
    clientErrorHandler: createClientErrorHandler({ clock }),
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(request, settings))
      answerError(error, request, reply)
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  }
  const app = Fastify(options)

  // Register all methods that Node parses, so that unsupported ones get a 405.
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }
  app.server.on('connect', refuseConnect)
  // No 100 Continue for a body that is too large.
  app.server.on('checkContinue', (request, response) => {
    if (Number(request.headers['content-length'] ?? 0) <= maxBodySize) response.writeContinue()
    app.server.emit('request', request, response)
  })
  // Without this, Node itself answers an unknown Expect header, without a request id.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request, settings))
    reply.headers(ownHeaders(request.routeOptions.config.operation))
    const fault = findFault(request)
    if (fault) {
      reply.header('connection', 'close')
      noteRefused(request.socket)
    }
    done(fault)
  })
  app.setErrorHandler(answerError)
  app.addHook('onClose', (_app, done) => {
    faults.flush()
    done()
  })

  // Read every body as bytes, whatever its content type. The route parses it.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return app
}

/** Removes the origin from an absolute request target, which proxies may send. */
function withoutOrigin(target: string): string {
  if (target.startsWith('/')) return target
  return target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?=\?|$)/, '/')
}

function commonHeaders(request: FastifyRequest, { tls }: ListenerSettings): Record<string, string> {
  return {
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(tls && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/** Counts how often a header was sent. `headers` does not show it: Node drops or joins duplicates. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? ''
    if (header.length === name.length && header.toLowerCase() === name) count += 1
  }
  return count
}

const malformedHost = (header: string) =>
  new PlatformError(
    'InvalidFormatError',
    `${header} must be one host with an optional port, such as localhost:8400.`,
  )

/** Checks what is common to all routes. */
function findFault(request: FastifyRequest): PlatformError | undefined {
  const { raw, headers } = request
  if (raw.rawHeaders.length > 2 * maxHeaders) {
    return new PlatformError(
      'HeaderTooLargeError',
      `The request has more than ${maxHeaders} headers.`,
    )
  }
  const hosts = countHeader(raw, 'host')
  const isHostless = hosts === 0 && raw.httpVersion === '1.0'
  if (!isHostless && (hosts !== 1 || readHostName(headers.host ?? '') === undefined)) {
    return malformedHost('Host')
  }
  // They differ if a trusted proxy forwards the original host.
  if (request.host !== (headers.host ?? '') && readHostName(request.host) === undefined) {
    return malformedHost('X-Forwarded-Host')
  }
  // A proxy might interpret other codings differently than Node (request smuggling).
  if (!['chunked', undefined].includes(headers['transfer-encoding']?.toLowerCase())) {
    return new PlatformError(
      'InvalidFormatError',
      'Unsupported Transfer-Encoding. Only chunked is supported.',
    )
  }
  if (!targetShape.test(raw.url ?? '')) {
    return new PlatformError('InvalidFormatError', 'The path is invalid.')
  }
  return undefined
}

/** Whether an unread body is still arriving that may be too large or endless. */
export const hasEndlessBody = ({ raw, headers }: FastifyRequest): boolean =>
  !raw.complete &&
  (headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > maxBodySize)
