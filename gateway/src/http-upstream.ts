import { Agent as PlainAgent, request as httpRequest } from 'node:http'
import { Agent as SecureAgent, request as httpsRequest } from 'node:https'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Upstream } from './ports.ts'

interface Addresses {
  readonly authUrl: string
  readonly baseUrl: string
  /** Maximum time without data from the API, in milliseconds. */
  readonly timeout?: number
}

/** More than a request can wait for changes of servers. */
const defaultTimeout = 90_000

/** Calls the public API in another process. It gets the client address and must trust this gateway as a proxy. */
export function createHttpUpstream({ authUrl, baseUrl, timeout = defaultTimeout }: Addresses) {
  const sockets = { keepAlive: true, maxSockets: 256, timeout }
  const agents = { 'http:': new PlainAgent(sockets), 'https:': new SecureAgent(sockets) }

  const ask: Upstream = async ({ servedBy, method, path, headers, body, ip, protocol, signal }) => {
    const base = new URL(servedBy.includes('platform') ? baseUrl : authUrl)
    const isSecure = base.protocol === 'https:'
    const request = (isSecure ? httpsRequest : httpRequest)({
      method,
      host: base.hostname.replaceAll(/[[\]]/g, ''),
      port: base.port,
      path: base.pathname.replace(/\/$/, '') + path,
      headers: {
        ...headers,
        host: base.host,
        'x-forwarded-for': ip,
        'x-forwarded-proto': protocol,
        ...(body && { 'content-length': String(body.length) }),
      },
      agent: agents[isSecure ? 'https:' : 'http:'],
      signal,
    })
    // Node only emits an event on a socket timeout. Without this the request would never end.
    request.setTimeout(timeout, () => {
      request.destroy(new Error(`no data from ${base.host} for ${timeout} ms`))
    })
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return { status: response.statusCode ?? 502, headers: response.headers, body: response }
  }

  return {
    ask,
    close(): void {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}
