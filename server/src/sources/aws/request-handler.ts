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
 * More than any page has: pages are small, since the SDK reads each megabyte in a tenth of a second,
 * and nothing else is done meanwhile.
 */
const maxBytes = 8 * 2 ** 20

/** What the SDK wants to have sent: signed already. */
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
 * Sends what the SDK has signed. In the place of the SDK's own, which reads without end, takes an
 * empty answer for "there is nothing", and half of one for all of it.
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
    // It may break once more after its answer has: that is heard of while the answer is read.
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
      // A connection that was kept may be closed by the other side just as it is used again.
      const isStale = outgoing.reusedSocket && (error as { code?: string }).code === 'ECONNRESET'
      if (isStale && !signal.aborted) return undefined
      throw error
    }
  }

  return {
    async handle(signed: Signed, { abortSignal }: { abortSignal?: unknown } = {}) {
      const limit = deadline(timeLimit)
      const asked = abortSignal as AbortSignal | undefined
      const signal = AbortSignal.any(asked ? [limit, asked] : [limit])
      const host = signed.hostname
      const form = typeof signed.body === 'string' ? signed.body : ''
      const action = /^Action=(\w+)/.exec(form)?.[1] ?? ''
      let answer
      try {
        // A fresh connection is never stale, so that this ends.
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
        throw new SourceError('invalid-response', `${host} does not answer ${action} as EC2 does.`)
      }
      if (!hasList(body.toString('utf8'), action)) {
        throw new SourceError(
          'invalid-response',
          `${host} does not answer ${action} as EC2 does: the response has no valid ${listElements[action]}.`,
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
    throw new SourceError('incomplete', `${host} stopped in the middle of an answer.`, {
      cause: error,
    })
  }
  if (size <= maxBytes) return Buffer.concat(chunks)
  throw new SourceError('invalid-response', `${host} answers with more than ${maxBytes} bytes.`)
}

/** Whether it begins and ends as the answer to this question does. */
function isWhole(body: Buffer, action: string): boolean {
  const start = body.toString('latin1', 0, 400)
  const end = body.toString('latin1', Math.max(0, body.length - 200))
  return (
    new RegExp(String.raw`^\s*(?:<\?xml[^>]*\?>\s*)?<${action}Response[\s>]`).test(start) &&
    end.trimEnd().endsWith(`</${action}Response>`)
  )
}
