import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { hostOf, type AddressRule } from './allowed-addresses.ts'
import { lookupFrom, resolveAllowed, resolveWithSystem, type Resolve } from './resolve-addresses.ts'

export interface GuardedGetOptions {
  readonly resolve?: Resolve
  /** Milliseconds for everything together: name, connection, answer. */
  readonly timeLimit?: number
}

export interface GetResponse {
  readonly status: number
  readonly text: string
}

/** Gets a page from where an address in the configuration leads, or fails with words for the log. */
export type GuardedGet = (url: URL, options: { readonly ca?: string }) => Promise<GetResponse>

const maxResponseSize = 65_536

/**
 * HTTPS to an allowed address, and nothing more: redirects are answers like any other, the
 * certificate is always checked, time and size are bounded.
 */
export function createGuardedGet(rule: AddressRule, options: GuardedGetOptions = {}): GuardedGet {
  const { resolve = resolveWithSystem, timeLimit = 5_000 } = options

  async function ask(url: URL, ca: string | undefined, signal: AbortSignal): Promise<GetResponse> {
    requirePlainHttps(url)
    const addresses = await resolveAllowed(hostOf(url), rule, resolve)
    signal.throwIfAborted()
    const outgoing = request(url, {
      agent: false,
      headers: { accept: '*/*', 'user-agent': 'Muster' },
      lookup: lookupFrom(addresses),
      // Said aloud, since an environment variable could otherwise turn it off.
      rejectUnauthorized: true,
      // Who names an authority trusts that one alone, not every other in the world beside it.
      ...(ca !== undefined && { ca }),
      signal,
    })
    const [answer] = (await once(outgoing.end(), 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, text: await readText(answer) }
  }

  return async (url, { ca }) => {
    const deadline = new AbortController()
    const late = new Error(`no answer within ${timeLimit} ms`)
    const timer = setTimeout(() => deadline.abort(late), timeLimit)
    try {
      // The race is for the resolver, which knows no signal.
      return await Promise.race([ask(url, ca, deadline.signal), whenAborted(deadline.signal)])
    } catch (error) {
      const words = describe(deadline.signal.aborted ? late : (error as Error))
      throw new Error(`${url.host}: ${words}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}

function requirePlainHttps({ protocol, username, password }: URL): void {
  if (protocol !== 'https:') throw new Error('only https is spoken')
  if (username !== '' || password !== '') throw new Error('an address must not hold a password')
}

async function whenAborted(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort')
  throw signal.reason
}

/** Of a host with several addresses every one has failed, each in its own words. */
const describe = (failure: Error): string =>
  failure instanceof AggregateError
    ? (failure.errors as Error[]).map(({ message }) => message).join(', ')
    : failure.message

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxResponseSize) throw new Error(`an answer of more than ${maxResponseSize} bytes`)
    chunks.push(chunk)
  }
  // Two different names must not become one by way of the same replacement character.
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}
