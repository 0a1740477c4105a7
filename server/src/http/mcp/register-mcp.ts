import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlatformError } from '../../domain/error.ts'
import type { ActionTickets } from '../../domain/tasks/action-tickets.ts'
import { version } from '../../version.ts'
import { abortOnDisconnect } from '../abort-on-disconnect.ts'
import type { Authenticate } from '../authenticate.ts'
import type { HostSettings, OwnHosts } from '../host.ts'
import { originOf } from '../origin.ts'
import { readJsonBody, requireShape } from '../request-body.ts'
import { createCallApi } from './call-api.ts'
import { mcpRoute } from './mcp-route.ts'

interface Dependencies {
  readonly authenticate: Authenticate
  readonly ownHosts: Pick<OwnHosts, 'isOwn'>
  readonly settings: Pick<HostSettings, 'publicUrl' | 'baseUrl'>
  /** Absent unless assistants may act. */
  readonly tickets: ActionTickets | undefined
}

/** Loads the protocol at the first request: most processes never get one. */
let loading: Promise<typeof import('./serve-mcp.ts')> | undefined
const loadServeMcp = () => (loading ??= import('./serve-mcp.ts'))

/** Refuses pages of other origins. Programs send no `Origin`. */
function createRequireOwnOrigin({ ownHosts, settings }: Dependencies) {
  const own = new Set([settings.publicUrl, settings.baseUrl].map((url) => new URL(url).origin))

  return function requireOwnOrigin(request: FastifyRequest): void {
    const { origin, 'sec-fetch-site': site } = request.headers
    const isHere =
      origin === undefined ||
      own.has(origin) ||
      (origin === `${request.protocol}://${request.host}` && ownHosts.isOwn(request))
    if (isHere && (site === undefined || site === 'same-origin')) return
    throw new PlatformError('ForbiddenError', 'Cross-origin requests are not allowed.')
  }
}

/** The headers that the protocol reads, without credentials and cookies. */
function protocolHeaders({ headers }: FastifyRequest): Headers {
  const read = Object.entries(headers).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && (entry[0] === 'accept' || entry[0].startsWith('mcp-')),
  )
  return new Headers([...read, ['content-type', 'application/json']])
}

/** Characters of JSON texts at which clients in Python would end a line of an event stream. */
const lineBreaks = /[\u0085\u2028\u2029]/g

async function* escapeLineBreaks(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const piece of body) {
    yield decoder
      .decode(piece, { stream: true })
      .replaceAll(
        lineBreaks,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
  }
}

async function send(reply: FastifyReply, { status, headers, body }: Response) {
  headers.delete('cache-control')
  reply.code(status).headers({ ...Object.fromEntries(headers), vary: 'Authorization' })
  if (!body) return reply.send()
  // Proxies must pass each message on at once.
  if (headers.get('content-type')?.startsWith('text/event-stream')) {
    reply.header('x-accel-buffering', 'no')
  }
  const text = escapeLineBreaks(body as ReadableStream<Uint8Array>)
  return reply.send(Readable.from(text, { objectMode: false }))
}

/** Registers `POST /mcp`. */
export function registerMcp(app: FastifyInstance, dependencies: Dependencies): void {
  const { authenticate, tickets } = dependencies
  const requireOwnOrigin = createRequireOwnOrigin(dependencies)

  app.route({
    method: mcpRoute.method,
    url: mcpRoute.path,
    config: { operation: mcpRoute },
    async onRequest(request) {
      requireOwnOrigin(request)
      request.principal = await authenticate(mcpRoute, request)
      requireShape({ method: mcpRoute.method, body: {} }, request)
    },
    async handler(request, reply) {
      const { principal } = request
      if (!principal) throw new Error('authentication returned no principal')
      const { user } = principal.userStatus
      request.userId = user.id
      const origin = originOf(request)
      const { ip, requestId, isConfidential } = origin
      const signal = abortOnDisconnect(reply)
      const { serveMcp } = await loadServeMcp()
      const response = await serveMcp({
        headers: protocolHeaders(request),
        message: readJsonBody(request),
        signal,
        userId: user.id,
        version,
        tickets,
        createApi: ({ name }) =>
          createCallApi({
            app,
            host: request.headers.host ?? '',
            signal,
            call: {
              origin: { ip, requestId, isConfidential, through: `MCP, client ${name}` },
              authenticate: () => authenticate(mcpRoute, request),
            },
          }),
      })
      return await send(reply, response)
    },
  })
}
