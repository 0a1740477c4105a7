import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient, HttpResponse } from '../shared/http-client.ts'
import { isObject, numberOf, parseJson, textOf, type Json } from '../shared/json.ts'
import { namingCall } from '../shared/naming-call.ts'
import { withRetries } from '../shared/retry.ts'
import { NotFound, statusError } from '../shared/status-error.ts'
import type { DaemonAddress } from './address.ts'

type Query = Readonly<Record<string, string>>

/** The REST API of a daemon. A path has no `/1.0` and is encoded. */
export interface Api {
  /** Names the daemon in messages. */
  readonly host: string
  /** Ends all requests. */
  readonly signal: AbortSignal
  /** The response's metadata as an object. */
  get(path: string, query: Query, action: string): Promise<Json>
  /** Undefined if the daemon says that there is no such thing. */
  find(path: string, query: Query, action: string): Promise<Json | undefined>
  /** Elements that are no objects fail the request. */
  list(path: string, query: Query, action: string): Promise<readonly Json[]>
  listTexts(path: string, query: Query, action: string): Promise<readonly string[]>
}

/** Incus reports a missing permission as an internal error in some requests. */
const denied = /permission|restricted|not authorized/i

/** Throws unless it is a successful response of a daemon. */
function readResponse(response: HttpResponse, host: string, action: string): Json {
  const { status, body } = response
  const json = status === 200 ? parseJson(body, host, action) : errorOf(body)
  if (status === 200 && textOf(json, 'type') === 'sync') return json
  if (status === 200) {
    throw new SourceError('invalid-response', `${host} does not respond as Incus or LXD.`)
  }
  if (status === 403 || denied.test(textOf(json, 'error'))) {
    throw new SourceError('forbidden', `The certificate is not allowed to ${action} at ${host}.`)
  }
  const failed = statusError(response, { host, action })
  const isNotFound = status === 404 && numberOf(json, 'error_code') === 404
  throw isNotFound ? new NotFound('failed', failed.message) : failed
}

/** The daemon's own error, or nothing if something else responds. */
function errorOf(body: Buffer): Json {
  try {
    return parseJson(body, '')
  } catch {
    return {}
  }
}

export function createApi(
  client: HttpClient,
  { url: base, socketPath }: DaemonAddress,
  signal: AbortSignal,
): Api {
  const host = socketPath === undefined ? base.host : `The socket ${socketPath}`
  // No request of Muster is malformed, except where TLS is expected.
  const isPlain = base.protocol === 'http:' && socketPath === undefined

  async function request(path: string, query: Query, action: string): Promise<unknown> {
    const url = new URL(`/1.0${path}`, base)
    url.search = new URLSearchParams(query).toString()
    const attempt = () =>
      withRetries(
        async () => {
          const response = await client.send({ url }, signal)
          if (isPlain && response.status === 400) {
            throw new SourceError(
              'tls',
              `${host} does not accept plain HTTP: the address should begin with https://.`,
            )
          }
          return readResponse(response, host, action)
        },
        host,
        signal,
      )
    const json = await namingCall(action, attempt)
    return json['metadata']
  }

  async function get(path: string, query: Query, action: string): Promise<Json> {
    const metadata = await request(path, query, action)
    if (isObject(metadata)) return metadata
    throw new SourceError('invalid-response', `${host} sent no object to ${action}.`)
  }

  async function requireList<Element>(
    [path, query, action]: readonly [string, Query, string],
    isElement: (value: unknown) => value is Element,
  ): Promise<readonly Element[]> {
    const metadata = await request(path, query, action)
    // A missing list is an error: an empty one means that nothing exists.
    if (Array.isArray(metadata) && metadata.every(isElement)) return metadata
    throw new SourceError('invalid-response', `${host} sent no list to ${action}.`)
  }

  return {
    host,
    signal,
    get,
    async find(...given) {
      try {
        return await get(...given)
      } catch (error) {
        if (error instanceof NotFound) return undefined
        throw error
      }
    },
    list: (...given) => requireList(given, isObject),
    listTexts: (...given) =>
      requireList(given, (value): value is string => typeof value === 'string'),
  }
}
