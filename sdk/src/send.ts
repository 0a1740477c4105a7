import { fillPath, renderQuery } from './address.ts'
import { ConnectionError } from './errors.ts'
import type { AnyOperationId } from './operations.ts'
import { routes } from './routes.ts'

/** An operation's input, without the details of its type. */
export interface AnyInput {
  readonly parameters?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/** As much of `fetch` as a client needs: whoever has another way to the API writes no more than this. */
export type Fetch = (
  address: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: string
    readonly signal?: AbortSignal
  },
) => Promise<Response>

export interface Connection {
  /** Of the platform, and of identity. */
  readonly url: string
  readonly authUrl: string
  readonly prefix: string
  readonly fetch: Fetch
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>
}

export const methodOf = (id: AnyOperationId): string => routes[id].split(' ', 1)[0] ?? ''

/** The gateway's own paths name it themselves. */
const isGateways = (path: string) => path.startsWith('/api/')

function addressOf(id: AnyOperationId, { parameters = {}, query = {} }: AnyInput, to: Connection) {
  const path = routes[id].slice(methodOf(id).length + 1)
  const origin = path.startsWith('/v3') ? to.authUrl : to.url
  const prefix = isGateways(path) ? '' : to.prefix
  return origin + prefix + fillPath(path, parameters) + renderQuery(query)
}

/** Sends a call, and answers whatever comes back. */
export async function send(
  id: AnyOperationId,
  input: AnyInput,
  to: Connection,
  proof: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { body, headers, signal } = input
  const address = addressOf(id, input, to)
  try {
    return await to.fetch(address, {
      method: methodOf(id),
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...to.headers,
        ...headers,
        ...proof,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    signal?.throwIfAborted()
    // In a browser the address is a path: there is one server, and it has no name here.
    const whom = URL.canParse(address) ? new URL(address).host : 'the server'
    throw new ConnectionError(`No response from ${whom}`, { cause: error })
  }
}
