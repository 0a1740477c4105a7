import { Agent as PlainAgent, request as askPlainly } from 'node:http'
import { Agent as SecureAgent, request as askSecurely } from 'node:https'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Upstream } from './ports.ts'

interface Addresses {
  readonly authUrl: string
  readonly baseUrl: string
  /** How long nothing may come from it, in milliseconds. */
  readonly patience?: number
}

const usualPatience = 60_000

/** The public API in other processes. These are told for whom it is asked, and must trust this one. */
export function createHttpUpstream({ authUrl, baseUrl, patience = usualPatience }: Addresses) {
  const sockets = { keepAlive: true, maxSockets: 256, timeout: patience }
  const agents = { 'http:': new PlainAgent(sockets), 'https:': new SecureAgent(sockets) }

  const ask: Upstream = async ({ method, path, headers, body, ip, protocol, signal }) => {
    const base = new URL(path.startsWith('/v3') ? authUrl : baseUrl)
    const isSecure = base.protocol === 'https:'
    const request = (isSecure ? askSecurely : askPlainly)({
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
    // Of a socket's silence Node only tells; without this, whoever asked would wait for good.
    request.setTimeout(patience, () => {
      request.destroy(new Error(`nothing came from ${base.host} for ${patience} ms`))
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
