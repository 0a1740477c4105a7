import { once } from 'node:events'
import { request as requestPlain, type IncomingMessage } from 'node:http'
import { request as requestSecure } from 'node:https'
import { connectionError } from '../../domain/sources/connection-error.ts'
import { abortedError, deadline } from '../../domain/sources/deadline.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { Egress } from '../../domain/sources/source.ts'
import { responseError } from './response-error.ts'
import { hasList, listElements } from './list-elements.ts'

/**
 * More than any page has. Pages are small, because the SDK blocks the thread for 0.1 s per
 * megabyte.
 */
const maxBytes = 8 * 2 ** 20

/** A request that the SDK has signed. */
interface Signed {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

/**
 * Sends requests for the SDK. The SDK's own handler has no size limit and accepts empty or cut
 * responses as complete.
 */
export function createRequestHandler(
  agents: ReturnType<Egress['createAgents']>,
  timeLimit: number,
) {
  async function exchange(signed: Signed, body: string, signal: AbortSignal) {
    const { protocol, hostname, port, method, path, headers } = signed
    const isSecure = protocol === 'https:'
    const outgoing = (isSecure ? requestSecure : requestPlain)({
      protocol,
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      ...(port !== undefined && { port }),
      method,
      path,
      headers,
      agent: isSecure ? agents.https : agents.http,
      signal,
    })
    // A second error after the first is reported while the response is read.
    outgoing.on('error', () => {})
    outgoing.end(body)
    try {
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      return {
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        body: await readAll(incoming, hostname),
      }
    } catch (error) {
      // The other side may close a keep-alive connection just as it is reused.
      const isStale = outgoing.reusedSocket && (error as { code?: string }).code === 'ECONNRESET'
      if (isStale && !signal.aborted) return undefined
      throw error
    }
  }

  return {
    async handle(signed: Signed, { abortSignal }: { abortSignal?: unknown } = {}) {
      const limit = deadline(timeLimit)
      const callerSignal = abortSignal as AbortSignal | undefined
      const signal = AbortSignal.any(callerSignal ? [limit, callerSignal] : [limit])
      const host = signed.hostname
      const form = typeof signed.body === 'string' ? signed.body : ''
      const action = /^Action=(\w+)/.exec(form)?.[1] ?? ''
      let answer
      try {
        // A new connection is never stale, so this loop ends.
        do answer = await exchange(signed, form, signal)
        while (!answer)
      } catch (error) {
        throw signal.aborted ? abortedError(signal, host) : connectionError(error, host)
      }
      const { status, headers, body } = answer
      if (status < 200 || status >= 300) {
        throw responseError(status, body.toString('utf8', 0, 4_096), { action, host })
      }
      if (!isWhole(body, action)) {
        throw new SourceError('invalid-response', `${host} sent an invalid response to ${action}.`)
      }
      if (!hasList(body.toString('utf8'), action)) {
        throw new SourceError(
          'invalid-response',
          `${host} sent an invalid response to ${action}: it has no valid ${listElements[action]}.`,
        )
      }
      return { response: { statusCode: status, headers: headers as Record<string, string>, body } }
    },
  }
}

async function readAll(incoming: IncomingMessage, host: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length
      // Leaving the loop closes the connection.
      if (size > maxBytes) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new SourceError('incomplete', `${host} closed the connection during a response.`, {
      cause: error,
    })
  }
  if (size <= maxBytes) return Buffer.concat(chunks)
  throw new SourceError(
    'invalid-response',
    `${host} sent a response of more than ${maxBytes} bytes.`,
  )
}

/** Whether the response begins and ends with the element of this action. */
function isWhole(body: Buffer, action: string): boolean {
  const start = body.toString('latin1', 0, 400)
  const end = body.toString('latin1', Math.max(0, body.length - 200))
  return (
    new RegExp(String.raw`^\s*(?:<\?xml[^>]*\?>\s*)?<${action}Response[\s>]`).test(start) &&
    end.trimEnd().endsWith(`</${action}Response>`)
  )
}
