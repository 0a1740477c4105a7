import { Socket } from 'node:net'
import type { Operation } from '@muster/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OpenSpan, ParentSpan, SpanDetails, Tracer } from '../domain/tracer.ts'
import type { Route } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Only while traces are exported. */
    span: OpenSpan | undefined
  }
}

/** Without the path and the query, which name servers and may contain secrets. */
function describeRequest(
  route: Route | undefined,
  request: { readonly method: string; readonly id: string },
  status: number,
): SpanDetails {
  return {
    name: route ? `${request.method} ${route.path}` : request.method,
    kind: 'server',
    attributes: {
      'http.request.method': request.method,
      ...(route && { 'http.route': route.path }),
      'http.response.status_code': status,
      'muster.request_id': request.id,
    },
    isError: status >= 500,
  }
}

/** Version 00 of the W3C format. All zeros are not an id. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** Only if a trusted proxy sent the request: others could have all of their requests recorded. */
function readRemoteParent({ headers, ips = [] }: FastifyRequest): ParentSpan | undefined {
  const header = headers['traceparent']
  if (ips.length < 2 || typeof header !== 'string') return undefined
  const [, traceId, spanId, flags] = traceparent.exec(header) ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '', 16) & 1) === 1 }
}

/** Records a span for each request that Fastify handles. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    // A pipelined request runs in the context of the one before it, but does not belong to its trace.
    // Requests of the gateway have no connection, and belong to the request of the browser.
    const isRemote = request.raw.socket instanceof Socket
    request.span = tracer.begin(isRemote ? readRemoteParent(request) : tracer.current())
    tracer.enter(request.span, done)
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const { operation } = request.routeOptions.config
    if (request.span) tracer.end(request.span, describeRequest(operation, request, statusCode))
    done()
  })
}

/** Records a response from the cache, which passes no hook. */
export function traceCachedResponse(
  tracer: Tracer,
  { operation, status }: { readonly operation: Operation; readonly status: number },
  id: string,
  ms: number,
): void {
  const span = { ...tracer.begin(), startedAt: performance.now() - ms }
  tracer.end(span, describeRequest(operation, { method: 'GET', id }, status))
}
