import { Readable } from 'node:stream'
import {
  gatewayOperations,
  jsonContentType,
  type GatewayOperation,
  type GatewayOperationId,
} from '@muster/contract'
import type { Exchange, Gateway, GatewayAnswer } from '@muster/gateway'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlatformError } from '../../domain/error.ts'
import { addressOf } from '../origin.ts'
import { createQueryReader } from '../query.ts'
import { readParameters } from '../read-parameters.ts'
import { requireNothing, requireShape, readJsonBody } from '../request-body.ts'
import { createBodyReader } from '../validate.ts'
import { abortOnDisconnect } from '../abort-on-disconnect.ts'

/** Headers of every API response of the gateway: it runs no scripts and is not cached. */
const dataHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

function toExchange(request: FastifyRequest, reply: FastifyReply): Exchange {
  // HTTP/1.0 allows this, but cookies and the origin check need to know the host.
  if (request.host === '') {
    throw new PlatformError('InvalidFormatError', 'The Host header is missing.')
  }
  return {
    id: request.id,
    method: request.method,
    url: request.url,
    headers: request.headers,
    ip: addressOf(request),
    protocol: request.protocol === 'https' ? 'https' : 'http',
    host: request.host,
    body: request.body instanceof Buffer && request.body.length > 0 ? request.body : undefined,
    signal: abortOnDisconnect(reply),
    addHeader: (name, value) => void reply.header(name, value),
  }
}

function send(reply: FastifyReply, { status, headers = {}, body }: GatewayAnswer): FastifyReply {
  reply.code(status).headers(headers)
  if (body instanceof Readable && reply.request.method === 'HEAD') {
    body.destroy()
    return reply.send()
  }
  if (body === undefined || body instanceof Readable || body instanceof Buffer) {
    return reply.send(body)
  }
  return reply.header('content-type', jsonContentType).send(Buffer.from(JSON.stringify(body)))
}

type AnyHandler = (call: {
  exchange: Exchange
  parameters: unknown
  query: unknown
  body: unknown
}) => Promise<GatewayAnswer>

/** Registers the routes of the gateway. The gateway itself is loaded at the first request. */
export function registerGateway(app: FastifyInstance, load: () => Promise<Gateway>): void {
  for (const operation of gatewayOperations as readonly GatewayOperation[]) {
    const id = operation.id as GatewayOperationId
    const readBody = createBodyReader(operation)
    const readQuery = createQueryReader(operation)
    const readBodyOf = (request: FastifyRequest) => {
      if (operation.takesForm === true) return undefined
      return operation.body ? readBody(readJsonBody(request)) : requireNothing(request)
    }
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operation },
      async onRequest(request, reply) {
        reply.headers(dataHeaders)
        if (operation.takesAnyQuery !== true) request.parameters = readQuery(request.url)
        if (operation.takesForm !== true) requireShape(operation, request)
      },
      async handler(request, reply) {
        const body = readBodyOf(request)
        const exchange = toExchange(request, reply)
        const parameters = readParameters(request)
        const { parameters: query } = request
        const handle = (await load()).handlers[id] as AnyHandler
        return send(reply, await handle({ exchange, parameters, query, body }))
      },
    })
  }

  app.route({
    method: allMethods,
    url: '/api/*',
    config: { operation: { id: 'forwardRequest', method: 'GET', path: '/api/*', responses: {} } },
    async onRequest(_request, reply) {
      reply.headers(dataHeaders)
    },
    handler: async (request, reply) =>
      send(reply, await (await load()).forwardRequest(toExchange(request, reply))),
  })

  for (const url of ['/console', '/console/*']) {
    app.route({
      method: 'GET',
      url,
      config: {
        operation: {
          id: 'serveConsole',
          method: 'GET',
          path: '/console/*',
          cache: 'default',
          responses: {},
        },
      },
      handler: async (request, reply) =>
        send(reply, await (await load()).serveConsole(toExchange(request, reply))),
    })
  }
}
