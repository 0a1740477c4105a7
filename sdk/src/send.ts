import { fillPath, renderQuery } from './address.ts'
import { ConnectionError } from './errors.ts'
import type { AnyOperationId } from './operations.ts'
import { routeOf } from './route.ts'

/** Whether an operation can return this content type. Exports of lists are CSV or lines of JSON. */
const canReturn = (id: AnyOperationId, contentType: string): boolean =>
  routeOf(id).returnsText || contentType.includes('json') || contentType.startsWith('text/csv')

/** The input of any operation. */
export interface AnyInput {
  readonly parameters?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/** The part of `fetch` that a client needs, so that it is easy to replace. */
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
  /** The URLs of the API and of the identity API. */
  readonly url: string
  readonly authUrl: string
  readonly prefix: string
  readonly fetch: Fetch
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>
}

/** Paths of gateway operations already contain the prefix. */
const isGatewayPath = (path: string) => path.startsWith('/api/')

function addressOf(id: AnyOperationId, { parameters = {}, query = {} }: AnyInput, to: Connection) {
  const { path } = routeOf(id)
  const origin = path.startsWith('/v3') ? to.authUrl : to.url
  const prefix = isGatewayPath(path) ? '' : to.prefix
  return origin + prefix + fillPath(path, parameters) + renderQuery(query)
}

/**
 * Sends a call and returns the response, whatever its status. A successful response of another content
 * type is not from the API: it is the page of a proxy or of a network login.
 */
export async function send(
  id: AnyOperationId,
  input: AnyInput,
  to: Connection,
  authHeaders: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const response = await fetchResponse(id, input, to, authHeaders)
  const contentType = response.headers.get('content-type')
  if (!response.ok || contentType === null || canReturn(id, contentType)) return response
  await response.body?.cancel()
  throw new ConnectionError(
    `HTTP ${response.status} with ${contentType}: the response is not from Muster but from a proxy in between.`,
  )
}

async function fetchResponse(
  id: AnyOperationId,
  input: AnyInput,
  to: Connection,
  authHeaders: Readonly<Record<string, string>>,
): Promise<Response> {
  const { body, headers, signal } = input
  const address = addressOf(id, input, to)
  try {
    return await to.fetch(address, {
      method: routeOf(id).method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...to.headers,
        ...headers,
        ...authHeaders,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    signal?.throwIfAborted()
    // In a browser the address is a path without a host.
    const host = URL.canParse(address) ? new URL(address).host : 'the server'
    throw new ConnectionError(`No response from ${host}`, { cause: error })
  }
}
