import { lookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOf, type AddressRule } from './allowed-addresses.ts'

export interface GuardedGetOptions {
  /** Every address of a host. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>
  /** Milliseconds for everything together: name, connection, answer. */
  readonly timeLimit?: number
}

export interface GetAnswer {
  readonly status: number
  readonly text: string
}

/** Gets a page from where an address in the configuration leads, or fails with words for the log. */
export type GuardedGet = (url: URL, options: { readonly ca?: string }) => Promise<GetAnswer>

const largestAnswer = 65_536
const resolveWithSystem = (host: string) => lookup(host, { all: true })

/**
 * HTTPS to an allowed address, and nothing more: redirects are answers like any other, the
 * certificate is always checked, time and size are bounded.
 */
export function createGuardedGet(rule: AddressRule, options: GuardedGetOptions = {}): GuardedGet {
  const { resolve = resolveWithSystem, timeLimit = 5_000 } = options

  /** The addresses to connect to. There is no second lookup, which could say something else. */
  async function findAddresses(host: string): Promise<readonly LookupAddress[]> {
    const family = isIP(host)
    const addresses = family === 0 ? await resolve(host) : [{ address: host, family }]
    if (addresses.length === 0) throw new Error(`${host} has no address`)
    const strange = addresses.find(({ address }) => !rule(address))
    if (strange && !rule(host)) throw new Error(`${host} is at an address that is not allowed`)
    return addresses
  }

  async function ask(url: URL, ca: string | undefined, signal: AbortSignal): Promise<GetAnswer> {
    demandPlainHttps(url)
    const addresses = await findAddresses(hostOf(url))
    signal.throwIfAborted()
    const outgoing = request(url, {
      agent: false,
      headers: { accept: '*/*', 'user-agent': 'Muster' },
      lookup: answerWith(addresses),
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

function demandPlainHttps({ protocol, username, password }: URL): void {
  if (protocol !== 'https:') throw new Error('only https is spoken')
  if (username !== '' || password !== '') throw new Error('an address must not hold a password')
}

const answerWith =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, { all }, callback) => {
    const [{ address, family } = { address: '', family: 0 }] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, address, family)
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
    if (size > largestAnswer) throw new Error(`an answer of more than ${largestAnswer} bytes`)
    chunks.push(chunk)
  }
  // Two different names must not become one by way of the same replacement character.
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}
