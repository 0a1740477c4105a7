import { METHODS } from 'node:http'
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
import { countHeader } from './header-count.ts'
import { readHostName } from './host.ts'
import { keepRequestId } from './request-id.ts'
import type { Route } from './route.ts'

const largestBody = 64 * 1_024
const largestHeaderBlock = 16 * 1_024
/** Ids are shorter; what is longer names nothing. */
const longestParameter = 255
const mostHeaders = 100
const targetShape = /^\/[^#]*$/

export interface ListenerSettings {
  readonly authUrl: string
  readonly trustedProxies: readonly string[]
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly clock: () => number
  readonly logger: FastifyBaseLogger
}

/** Headers of an operation's every answer, errors included. */
export type OwnHeaders = (operation: Route | undefined) => Readonly<Record<string, string>>

/** A server with Muster's limits, whose every answer carries the headers and the error body of the contract. */
export function createListener(
  settings: ListenerSettings,
  ownHeaders: OwnHeaders,
): FastifyInstance {
  const { tls, trustedProxies, clock, logger } = settings
  const faults = createFaultLog(logger)
  const answerError = createErrorHandler(settings, faults)
  const limits = {
    maxHeaderSize: largestHeaderBlock,
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
    // Checked by a hook of ours, so that the refusal looks like every other.
    requireHostHeader: false,
  }
  const options: FastifyServerOptions = {
    ...(tls ? { https: { ...limits, ...tls } } : { http: limits }),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request costs more than the token check; we name the id ourselves.
    childLoggerFactory: (parent) => parent,
    genReqId: ({ headers }) => keepRequestId(headers['x-request-id']),
    requestIdHeader: false,
    rewriteUrl: (request) => withoutOrigin(request.url ?? ''),
    bodyLimit: largestBody,
    requestTimeout: limits.requestTimeout,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: longestParameter },
    clientErrorHandler: createClientErrorHandler({ clock }),
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(request, settings))
      answerError(error, request, reply)
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  }
  const app = Fastify(options)

  // Every method that Node can read has the same way to its 405.
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }
  app.server.on('connect', refuseConnect)
  // Nobody is asked to go on with a body that is too large anyway.
  app.server.on('checkContinue', (request, response) => {
    if (Number(request.headers['content-length'] ?? 0) <= largestBody) response.writeContinue()
    app.server.emit('request', request, response)
  })
  // Without this Node answers an unknown expectation by itself, without a request id.
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

  // Bodies are taken as bytes, whatever they call themselves; the mount decides what to make of them.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return app
}

/** A proxy may send the whole address where others send the path: it is the same route. */
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

const malformedHost = (header: string) =>
  new PlatformError(
    'InvalidFormatError',
    `${header} must be one host with an optional port, such as localhost:8400.`,
  )

/** What is wrong with a request before anyone asks what it wants. */
function findFault(request: FastifyRequest): PlatformError | undefined {
  const { raw, headers } = request
  if (raw.rawHeaders.length > 2 * mostHeaders) {
    return new PlatformError(
      'HeaderTooLargeError',
      `The request has more than ${mostHeaders} headers.`,
    )
  }
  const hosts = countHeader(raw, 'host')
  const isHostless = hosts === 0 && raw.httpVersion === '1.0'
  if (!isHostless && (hosts !== 1 || readHostName(headers.host ?? '') === undefined)) {
    return malformedHost('Host')
  }
  // They differ where a trusted proxy names the host that it was asked for.
  if (request.host !== (headers.host ?? '') && readHostName(request.host) === undefined) {
    return malformedHost('X-Forwarded-Host')
  }
  // Whatever Node makes of other codings, a proxy in front might make something else of them.
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

/** Whether a body is still coming that nobody is going to read, and that may never end. */
export const hasEndlessBody = ({ raw, headers }: FastifyRequest): boolean =>
  !raw.complete &&
  (headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > largestBody)
