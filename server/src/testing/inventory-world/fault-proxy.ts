import { once } from 'node:events'
import {
  Agent,
  createServer,
  request as requestPlain,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import {
  Agent as SecureAgent,
  createServer as createSecureServer,
  request as requestSecure,
} from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { certificateOf, privateKey, type TestCertificate } from '../secure-server.ts'
import type { Lifetime } from '../spawn-muster.ts'
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts'

/** A request that passes the proxy. */
export interface ProxiedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What became of a request. */
interface Outcome {
  /** Whether the back end may have carried it out. */
  isDelivered: boolean
  /** The status that the client got, if it got any. */
  status?: number
}

/** A complete response in place of the back end's. */
export interface ErrorResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What the proxy does instead of passing a response through. */
export type HttpFault =
  | ErrorResponse
  /** Closes the connection before the headers. */
  | 'close'
  /** Passes the request on, and closes the connection instead of responding. */
  | 'lose'
  /** Sends the headers and half of the body, then closes the connection. */
  | 'close in body'
  /** Sends nothing and keeps the connection open. */
  | 'hang'
  /** Sends the headers and half of the body, then nothing. */
  | 'hang in body'
  /** Sends blanks until the client closes the connection. */
  | 'endless'
  /** Changes the body of the back end's response. */
  | { readonly change: (body: string, request: ProxiedRequest) => string }

interface Options {
  /**
   * Where requests go: `http://host:port`, `https://host:port` or `unix:/path`. A function chooses by
   * the request, for a back end of several services.
   */
  readonly upstream: string | ((request: ProxiedRequest) => string)
  /** Changes each body, for back ends that put their own addresses into responses. */
  readonly rewrite?: (body: string, proxyUrl: string, request: ProxiedRequest) => string
  /** Listens with TLS and this certificate. */
  readonly certificate?: TestCertificate
}

export interface FaultProxy {
  /** `http://127.0.0.1:port`, or `https://localhost:port` with a certificate. */
  readonly url: string
  /** All requests so far. */
  readonly requests: readonly ProxiedRequest[]
  readonly outcomes: ReadonlyMap<ProxiedRequest, Outcome>
  /** Breaks connections rather than responses. */
  readonly connection: TcpProxy
  /** Called with each request before it is answered, and awaited. */
  onRequest: ((request: ProxiedRequest) => unknown) | undefined
  /** Injects a fault into matching requests, the first `times` of them. Replaces an earlier fault. */
  inject(fault: HttpFault, matches: (request: ProxiedRequest) => boolean, times?: number): void
  clear(): void
}

/** Headers of one connection, and those that no longer fit a changed body. */
const droppedHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !droppedHeaders.has(name)))

/**
 * A reverse proxy on loopback between a source and its back end. It passes everything through, also
 * WebSockets, until a fault is injected.
 */
export async function startFaultProxy(lifetime: Lifetime, options: Options): Promise<FaultProxy> {
  const { upstream, rewrite, certificate } = options
  const agent = new Agent({ keepAlive: true })
  // The back end's own certificate is not under test here.
  const secureAgent = new SecureAgent({ keepAlive: true, rejectUnauthorized: false })
  const requests: ProxiedRequest[] = []
  const outcomes = new Map<ProxiedRequest, Outcome>()
  let injected: { fault: HttpFault; matches: (request: ProxiedRequest) => boolean } | undefined
  let remaining = 0

  function takeFault(request: ProxiedRequest): HttpFault | undefined {
    if (!injected || remaining === 0 || !injected.matches(request)) return undefined
    remaining -= 1
    return injected.fault
  }

  function openUpstream(request: ProxiedRequest, headers: IncomingHttpHeaders): ClientRequest {
    const target = new URL(typeof upstream === 'string' ? upstream : upstream(request))
    const { method, path } = request
    const common = { method, path, headers }
    if (target.protocol === 'unix:') {
      return requestPlain({ ...common, agent, socketPath: target.pathname })
    }
    const { hostname: host, port } = target
    return target.protocol === 'https:'
      ? requestSecure({ ...common, agent: secureAgent, host, port })
      : requestPlain({ ...common, agent, host, port })
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    const request = toRequest(incoming, body)
    requests.push(request)
    const outcome: Outcome = { isDelivered: false }
    outcomes.set(request, outcome)
    await proxy.onRequest?.(request)
    const fault = takeFault(request)
    if (fault === 'hang') return
    if (fault === 'close') return void response.destroy()
    if (fault === 'endless') return sendEndless(response)
    if (typeof fault === 'object' && 'status' in fault) {
      outcome.status = fault.status
      response.writeHead(fault.status, fault.headers).end(fault.body)
      return
    }
    // Uncompressed, so that bodies can be changed.
    const { 'accept-encoding': _, ...headers } = endToEnd(incoming.headers)
    const outgoing = openUpstream(request, {
      ...headers,
      ...(body.length > 0 && { 'content-length': String(body.length) }),
    })
    response.once('close', () => outgoing.destroy())
    outgoing.end(body, () => (outcome.isDelivered = true))
    const [original] = (await once(outgoing, 'response')) as [IncomingMessage]
    const status = original.statusCode ?? 502
    if (fault === 'lose') return void response.destroy()
    outcome.status = status
    if (!fault && !rewrite) {
      response.writeHead(status, endToEnd(original.headers))
      pipeline(original, response, () => {})
      return
    }
    const sent = (await buffer(original)).toString()
    const rewritten = rewrite ? rewrite(sent, proxy.url, request) : sent
    const changed = typeof fault === 'object' ? fault.change(rewritten, request) : rewritten
    const bytes = Buffer.from(changed)
    response.writeHead(status, { ...endToEnd(original.headers), 'content-length': bytes.length })
    if (fault === 'close in body') {
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
    } else if (fault === 'hang in body') response.write(bytes.subarray(0, bytes.length / 2))
    else response.end(bytes)
  }

  function upgrade(incoming: IncomingMessage, near: Duplex, head: Buffer): void {
    const request = toRequest(incoming, head)
    requests.push(request)
    const outgoing = openUpstream(request, incoming.headers)
    near.on('error', () => outgoing.destroy())
    outgoing.on('error', () => near.destroy())
    outgoing.on('response', (original) => {
      near.write(statusLine(original))
      pipeline(original, near, () => {})
    })
    outgoing.on('upgrade', (original, far, farHead) => {
      near.write(statusLine(original))
      near.write(farHead)
      far.write(head)
      pipeline(far, near, far, () => {})
    })
    outgoing.end()
  }

  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    answer(incoming, response).catch(() => response.destroy())
  }
  const server = certificate
    ? createSecureServer({ key: privateKey, cert: certificateOf(certificate) }, handle)
    : createServer(handle)
  server.on('upgrade', upgrade).on('tlsClientError', () => {})
  // Only clients close idle connections, so that a test sees whether they do.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connection = await startTcpProxy(lifetime, { host: '127.0.0.1', port })
  lifetime.after(() => {
    server.closeAllConnections()
    server.close()
    agent.destroy()
    secureAgent.destroy()
  })

  const proxy: FaultProxy = {
    url: certificate
      ? `https://localhost:${connection.port}`
      : `http://127.0.0.1:${connection.port}`,
    requests,
    outcomes,
    connection,
    onRequest: undefined,
    inject(fault, matches, times = Infinity) {
      injected = { fault, matches }
      remaining = times
    },
    clear() {
      injected = undefined
    },
  }
  return proxy
}

const toRequest = (incoming: IncomingMessage, body: Buffer): ProxiedRequest => ({
  method: incoming.method ?? '',
  path: incoming.url ?? '',
  headers: incoming.headers,
  body: body.toString(),
})

function statusLine({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

function sendEndless(response: ServerResponse): void {
  const chunk = Buffer.alloc(1_048_576, ' ')
  const send = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', send)
  }
  response.writeHead(200)
  send()
}
