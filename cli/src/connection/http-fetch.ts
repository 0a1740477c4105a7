import { readFileSync } from 'node:fs'
import type { Agent as PlainAgent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Fetch } from '@muster/sdk'
import { UsageError } from '../usage-error.ts'

/** What the SDK reads of a response. The classes of `fetch` take longer to load than most requests take. */
class LightResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: { readonly get: (name: string) => string | null }
  readonly body: { readonly cancel: () => Promise<void> } & AsyncIterable<Uint8Array>
  readonly #message: IncomingMessage

  constructor(message: IncomingMessage) {
    this.#message = message
    this.status = message.statusCode ?? 0
    this.ok = this.status >= 200 && this.status < 300
    this.headers = {
      get: (name) => {
        const value = message.headers[name.toLowerCase()]
        return value === undefined ? null : String(value)
      },
    }
    this.body = {
      cancel: async () => void message.destroy(),
      [Symbol.asyncIterator]: () => message[Symbol.asyncIterator](),
    }
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.#message) chunks.push(chunk as Uint8Array)
    return Buffer.concat(chunks).toString('utf8')
  }
}

interface TransportOptions {
  readonly cacert: string | undefined
  readonly isInsecure: boolean
  /** Milliseconds without any byte. */
  readonly timeout: number
  readonly environment: Readonly<Record<string, string | undefined>>
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`Cannot read the certificates: ${(error as Error).message}`)
  }
}

type Send = (address: string, options: RequestOptions) => ClientRequest

async function loadModule(isSecure: boolean, options: TransportOptions): Promise<Send> {
  const { cacert, isInsecure, environment } = options
  const common = { keepAlive: true, proxyEnv: environment }
  if (!isSecure) {
    const { request, Agent } = await import('node:http')
    const agent = new Agent(common)
    return (address, given) => request(address, { ...given, agent })
  }
  const { request, Agent } = await import('node:https')
  const agent: PlainAgent = new Agent({
    ...common,
    ...(cacert !== undefined && { ca: readCertificates(cacert) }),
    rejectUnauthorized: !isInsecure,
  })
  return (address, given) => request(address, { ...given, agent })
}

/** A `fetch` on Node's HTTP client. It follows no redirect, because a token must not go elsewhere. */
export function createHttpFetch(options: TransportOptions): Fetch {
  const loaded = new Map<boolean, Promise<Send>>()
  return async (address, { method, headers, body, signal }) => {
    const isSecure = address.startsWith('https:')
    const module = loaded.get(isSecure) ?? loadModule(isSecure, options)
    loaded.set(isSecure, module)
    const send = await module
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(address, {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        },
        timeout: options.timeout,
        ...(signal && { signal }),
      })
      request.once('response', resolve)
      request.once('error', reject)
      request.once('timeout', () =>
        request.destroy(new Error(`no answer within ${options.timeout / 1_000} s`)),
      )
      request.end(body)
    })
    const { statusCode = 0, headers: received } = message
    if (statusCode >= 301 && statusCode <= 308 && received.location !== undefined) {
      message.resume()
      throw new Error(`redirects to ${received.location}: use that address`)
    }
    return new LightResponse(message) as unknown as Response
  }
}
