import { prefix, readApiPath } from './api-path.ts'
import type { Exchange, GatewayAnswer } from './exchange.ts'
import type { Refuse, Upstream, UpstreamAnswer } from './ports.ts'
import type { Session, Sessions } from './sessions.ts'

interface Dependencies {
  readonly upstream: Upstream
  readonly sessions: Sessions
  readonly refuse: Refuse
}

/** What goes along from a browser. Who asks, and from where, is not the browser's to say. */
const asked = [
  'accept',
  'accept-encoding',
  'content-type',
  'content-encoding',
  'if-none-match',
  'user-agent',
] as const

/** What comes back to it. */
const answered = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-disposition',
  'etag',
  'cache-control',
  'allow',
  'retry-after',
] as const

const searchOf = ({ url }: Exchange): string => /\?.*$/s.exec(url)?.[0] ?? ''

/** Hands a page's calls on to the public API, with the token of its session and nothing else of its own. */
export function createPassOn({ upstream, sessions, refuse }: Dependencies) {
  function find(exchange: Exchange): string {
    const [path = ''] = exchange.url.split('?', 1)
    const decision = readApiPath(path)
    if (decision.kind === 'malformed') {
      throw refuse('InvalidFormatError', 'The path is invalid.')
    }
    if (decision.kind === 'unknown')
      throw refuse('NotFoundError', 'No such path. See /docs for the API reference.')
    if (!decision.methods.includes(exchange.method)) {
      const allowed = decision.methods.join(', ')
      exchange.addHeader('allow', allowed)
      throw refuse('MethodNotAllowedError', `Method not allowed. Allowed here: ${allowed}.`)
    }
    return decision.path
  }

  async function send(exchange: Exchange, path: string, token: string): Promise<UpstreamAnswer> {
    const { method, headers, body, id, ip, protocol, host, signal } = exchange
    const chosen = asked.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value] as const] : []
    })
    try {
      return await upstream({
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
      throw refuse('BadGateway', 'The API does not respond.', { cause: error })
    }
  }

  /** A link of the API leads past the gateway, where the cookie is good for nothing. */
  const throughHere = (link: string, path: string): string =>
    link.replaceAll(/<([^>]*)>/g, (_, target: string) => {
      const { search } = new URL(target, 'http://here')
      return `<${prefix}${path}${search}>`
    })

  function toAnswer({ status, headers, body }: UpstreamAnswer, path: string): GatewayAnswer {
    const chosen = answered.flatMap((name) => {
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
        ...(link !== undefined && { link: throughHere(String(link), path) }),
      },
      body,
    }
  }

  /** Some refusals of the API are of what was sent, not of who sends it: then the session goes on. */
  async function isOver(exchange: Exchange, { status }: UpstreamAnswer, { tokens }: Session) {
    return status === 401 && !(await sessions.isGood(exchange, tokens.current))
  }

  return async function passOn(exchange: Exchange): Promise<GatewayAnswer> {
    const path = find(exchange)
    const session = await sessions.demand(exchange)
    const answer = await send(exchange, path, session.tokens.current)
    if (await isOver(exchange, answer, session)) {
      answer.body.destroy()
      throw await sessions.end(exchange, session)
    }
    return toAnswer(answer, path)
  }
}
