import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import {
  NoResponseError,
  type HttpsRequest,
  type HttpsResponse,
} from '../domain/identity/provider-driver.ts'
import { hostOf, type AddressRule } from './allowed-addresses.ts'
import { lookupFrom, resolveAllowed, resolveWithSystem, type Resolve } from './resolve-addresses.ts'

export interface GuardedRequestOptions {
  readonly resolve?: Resolve
  /** Milliseconds for lookup, connection and response together. */
  readonly timeLimit?: number
}

/** Sends a request to a configured address. Errors have a text for the log. */
export type GuardedRequest = (url: URL, options: HttpsRequest) => Promise<HttpsResponse>

const maxResponseSize = 65_536

/**
 * HTTPS to an allowed address only: no redirects, certificates always checked, time and size
 * limited.
 */
export function createGuardedRequest(
  rule: AddressRule,
  options: GuardedRequestOptions = {},
): GuardedRequest {
  const { resolve = resolveWithSystem, timeLimit = 5_000 } = options

  async function open(url: URL, { method, headers, body, ca }: HttpsRequest, signal: AbortSignal) {
    requirePlainHttps(url)
    const addresses = await resolveAllowed(hostOf(url), rule, resolve)
    signal.throwIfAborted()
    const outgoing = request(url, {
      agent: false,
      method: method ?? 'GET',
      headers: { accept: '*/*', ...headers, 'user-agent': 'Muster' },
      lookup: lookupFrom(addresses),
      // Set explicitly, because an environment variable could turn it off.
      rejectUnauthorized: true,
      // A given authority replaces Node's list.
      ...(ca !== undefined && { ca }),
      signal,
    })
    const [response] = (await once(outgoing.end(body), 'response')) as [IncomingMessage]
    return response
  }

  async function send(url: URL, sent: HttpsRequest, signal: AbortSignal): Promise<HttpsResponse> {
    const response = await open(url, sent, signal).catch((error: unknown) => {
      throw new NoResponseError(describe(error as Error), { cause: error })
    })
    const contentType = response.headers['content-type'] ?? ''
    return { status: response.statusCode ?? 0, contentType, text: await readText(response) }
  }

  return async (url, sent) => {
    const { deadline = Infinity } = sent
    const aborting = new AbortController()
    const limit = Math.round(Math.min(timeLimit, deadline - performance.now()))
    const late = new NoResponseError(`no response within ${limit} ms`)
    const timer = setTimeout(() => aborting.abort(late), limit)
    try {
      // The race is needed because DNS lookups ignore signals.
      return await Promise.race([send(url, sent, aborting.signal), whenAborted(aborting.signal)])
    } catch (error) {
      const Failure = error instanceof NoResponseError ? NoResponseError : Error
      throw new Failure(`${url.host}: ${(error as Error).message}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}

function requirePlainHttps({ protocol, username, password }: URL): void {
  if (protocol !== 'https:') throw new Error('only https is supported')
  if (username !== '' || password !== '')
    throw new Error('the address must not contain a user or a password')
}

async function whenAborted(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort')
  throw signal.reason
}

/** For a host with several addresses, all of them have failed. */
const describe = (failure: Error): string =>
  failure instanceof AggregateError
    ? (failure.errors as Error[]).map(({ message }) => message).join(', ')
    : failure.message

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxResponseSize)
      throw new Error(`the response has more than ${maxResponseSize} bytes`)
    chunks.push(chunk)
  }
  // Fatal, because replacement characters could make two names equal.
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}
