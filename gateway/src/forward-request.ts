import { pollHeader } from '@muster/contract'
import { prefix, readApiPath } from './api-path.ts'
import type { Exchange, GatewayAnswer } from './exchange.ts'
import type { CreateError, Upstream, UpstreamAnswer, UpstreamRequest } from './ports.ts'
import type { Session, Sessions } from './sessions.ts'

interface Dependencies {
  readonly upstream: Upstream
  readonly sessions: Sessions
  readonly createError: CreateError
}

/** Request headers that are forwarded. The gateway sets the token and the client address itself. */
const requestHeaders = [
  'accept',
  'accept-encoding',
  'content-type',
  'content-encoding',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'prefer',
  'user-agent',
  pollHeader,
] as const

/** Response headers that are forwarded. */
const responseHeaders = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-disposition',
  'etag',
  'cache-control',
  'allow',
  'retry-after',
  'preference-applied',
  'muster-gaps',
  'muster-as-of',
  'x-task-id',
] as const

/** The normalized path of a request and the roles that serve its operation. */
type Target = Pick<UpstreamRequest, 'path' | 'servedBy'>

const searchOf = ({ url }: Exchange): string => /\?.*$/s.exec(url)?.[0] ?? ''

/** Forwards the request of a page to the public API with the token of its session. */
export function createForwardRequest({ upstream, sessions, createError }: Dependencies) {
  function find(exchange: Exchange): Target {
    const [written = ''] = exchange.url.split('?', 1)
    const decision = readApiPath(written)
    if (decision.kind === 'malformed') {
      throw createError('InvalidFormatError', 'The path is invalid.')
    }
    if (decision.kind === 'unknown')
      throw createError('NotFoundError', 'No such path. See /docs for the API reference.')
    const { path, routes } = decision
    const route = routes.find(({ methods }) => methods.includes(exchange.method))
    if (!route) {
      const allowed = [...new Set(routes.flatMap(({ methods }) => methods))].join(', ')
      exchange.addHeader('allow', allowed)
      throw createError('MethodNotAllowedError', `Method not allowed. Allowed here: ${allowed}.`)
    }
    return { path, servedBy: route.servedBy }
  }

  async function send(exchange: Exchange, { path, servedBy }: Target, token: string) {
    const { method, headers, body, id, ip, protocol, host, signal } = exchange
    const chosen = requestHeaders.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value] as const] : []
    })
    try {
      return await upstream({
        servedBy,
        method,
        path: path + searchOf(exchange),
        headers: { ...Object.fromEntries(chosen), 'x-request-id': id, 'x-auth-token': token },
        body,
        ip,
        protocol,
        host,
        signal,
      })
    } catch (error) {
      // No client reads this response. Without a cause it is not logged as a fault.
      if (signal.aborted) throw createError('BadGateway', 'The browser closed the connection.')
      throw createError('BadGateway', 'The API does not respond.', { cause: error })
    }
  }

  /** Rewrites links of the API so that they lead through the gateway, which needs the cookie. */
  const toGatewayLink = (link: string, path: string): string =>
    link.replaceAll(/<([^<>]*)>/g, (_, target: string) => {
      const { search } = new URL(target, 'http://here')
      return `<${prefix}${path}${search}>`
    })

  function toAnswer({ status, headers, body }: UpstreamAnswer, path: string): GatewayAnswer {
    const chosen = responseHeaders.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)] as const]
    })
    const { link } = headers
    return {
      status,
      headers: {
        'cache-control': 'no-store',
        vary: 'Cookie, Accept, Accept-Encoding',
        ...Object.fromEntries(chosen),
        ...(link !== undefined && { link: toGatewayLink(String(link), path) }),
      },
      body,
    }
  }

  /** A 401 may be about the content of the request. The session has expired only if its token is invalid. */
  async function isExpired(exchange: Exchange, { status }: UpstreamAnswer, { tokens }: Session) {
    return status === 401 && !(await sessions.isTokenValid(exchange, tokens.current))
  }

  return async function forwardRequest(exchange: Exchange): Promise<GatewayAnswer> {
    const target = find(exchange)
    const session = await sessions.requireSession(exchange)
    const answer = await send(exchange, target, session.tokens.current)
    if (await isExpired(exchange, answer, session)) {
      answer.body.destroy()
      throw await sessions.end(exchange, session)
    }
    return toAnswer(answer, target.path)
  }
}
