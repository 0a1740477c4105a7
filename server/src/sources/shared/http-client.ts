import { once } from 'node:events'
import {
  maxHeaderSize,
  request as requestPlain,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { request as requestSecure } from 'node:https'
import { createBoundedQueue } from '../../domain/bounded-queue.ts'
import { connectionError } from '../../domain/sources/connection-error.ts'
import { abortedError, deadline } from '../../domain/sources/deadline.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ConnectionSettings, SourceContext } from '../../domain/sources/source.ts'
import { createTextCutter } from './cut-texts.ts'
import { freeBuffer } from './free-buffer.ts'
import { LostResponse } from './lost-response.ts'
import { longestStart, ResponseTooLarge } from './response-too-large.ts'
import { unlessAborted } from './unless-aborted.ts'

interface HttpRequest {
  readonly url: URL
  /** The default is GET. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** What is called, for errors; the default is the method and the path. */
  readonly call?: string
  /** Milliseconds; the default is the context's. */
  readonly timeLimit?: number
}

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface HttpClient {
  /** Returns a response of any status. Throws a `SourceError` unless the response is complete. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
  close(): void
}

/** The limit of a response. Keep pages far below it: parsing blocks the thread. None is decompressed. */
const maxResponse = 8 * 2 ** 20
/** With the parts of long texts that are dropped. */
const maxReceived = 4 * maxResponse
/** Larger responses of an account are read one after the other, so that it fills little memory. */
const smallResponse = 2 ** 18
/** Longer texts are cut: Muster stores 4,096 characters at most. */
const longestText = 2 ** 14

const maxConcurrentRequests = 8

/**
 * Sends requests to a source: at the account's rate, to allowed addresses, within the time limit, with
 * a limited response. Redirects are not followed, because they would send credentials elsewhere.
 */
export function createHttpClient(
  context: SourceContext,
  options: ConnectionSettings & {
    readonly maxBytes?: number
    /**
     * For requests that change something. Each has a connection of its own and is sent once. If it was sent, and
     * there is no complete response, the error is a `LostResponse`.
     */
    readonly sendsOnce?: boolean
  } = {},
): HttpClient {
  const { maxBytes = maxResponse, sendsOnce = false, ...connection } = options
  const agents = context.egress.createAgents(connection)
  // Agents count a connection only when it is open, so they do not limit a burst.
  const queue = createBoundedQueue({ name: 'requests', capacity: maxConcurrentRequests })
  const largeResponses = createBoundedQueue({ name: 'large responses', capacity: 1 })
  const targetOf = ({ host }: URL) =>
    connection.socketPath === undefined ? host : `The socket ${connection.socketPath}`

  /** Undefined if the other side closed a keep-alive connection just as it was reused. */
  async function exchange(request: HttpRequest, signal: AbortSignal) {
    const { url, method = 'GET', headers = {}, body = '' } = request
    const isSecure = url.protocol === 'https:'
    let wasSent = false
    const outgoing = (isSecure ? requestSecure : requestPlain)(url, {
      method,
      headers: {
        'user-agent': 'Muster',
        ...headers,
        ...(body !== '' && { 'content-length': Buffer.byteLength(body) }),
        ...(sendsOnce && { connection: 'close' }),
      },
      agent: isSecure ? agents.https : agents.http,
      signal,
    })
    // A second error after the first is reported while the response is read.
    outgoing.on('error', () => {})
    // Agents pass a socket only when it is connected.
    outgoing.on('socket', () => (wasSent = true))
    outgoing.end(body)
    try {
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      return {
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        body: await readAll(incoming, request, signal),
      }
    } catch (error) {
      const isStale = outgoing.reusedSocket && (error as { code?: string }).code === 'ECONNRESET'
      if (isStale && !signal.aborted) return undefined
      if (sendsOnce && wasSent) throw lostResponse(error, targetOf(url), signal)
      if ((error as { code?: string }).code !== 'HPE_HEADER_OVERFLOW') throw error
      throw new ResponseTooLarge(
        `${targetOf(url)} sent headers of more than ${maxHeaderSize} bytes to ${nameOf(request)}.`,
      )
    }
  }

  /** By events, because a response may arrive in parts of one byte, each of which would be awaited. */
  async function readAll(
    incoming: IncomingMessage,
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const target = targetOf(request.url)
    const read = Promise.withResolvers<Buffer>()
    const body = createGrowingBuffer()
    const cut = createTextCutter(longestText)
    let received = 0
    let permit: Promise<() => void> | undefined
    const fail = (cause?: unknown) =>
      read.reject(
        new SourceError('incomplete', `${target} closed the connection during a response.`, {
          cause,
        }),
      )
    incoming.on('data', (chunk: Buffer) => {
      received += chunk.length
      for (const part of cut(chunk)) body.append(part)
      if (body.size() > maxBytes || received > maxReceived) {
        incoming.destroy()
        const start = body.take().toString('utf8', 0, longestStart)
        const text = `${target} sent a response of more than ${maxBytes} bytes to ${nameOf(request)}.`
        return read.reject(new ResponseTooLarge(text, start))
      }
      if (received > smallResponse && !permit) {
        incoming.pause()
        permit = largeResponses.acquire({ getSignal: () => signal })
        permit.then(() => incoming.resume(), fail)
      }
    })
    incoming.on('end', () => read.resolve(body.take()))
    incoming.on('error', fail)
    // Has no effect after the end of the response.
    incoming.on('close', fail)
    try {
      return await read.promise
    } finally {
      permit?.then(
        (release) => release(),
        () => {},
      )
    }
  }

  async function sendNow(request: HttpRequest, target: string, callerSignal: AbortSignal) {
    const limit = deadline(request.timeLimit ?? context.timeLimit)
    const signal = AbortSignal.any([callerSignal, limit])
    try {
      for (;;) {
        // A new connection is never stale, so this loop ends.
        const response = await exchange(request, signal)
        if (response) return response
      }
    } catch (error) {
      if (error instanceof LostResponse) throw error
      throw signal.aborted ? abortedError(signal, target) : connectionError(error, target)
    }
  }

  return {
    async send(request, callerSignal) {
      const target = targetOf(request.url)
      if (callerSignal.aborted) throw abortedError(callerSignal, target)
      // An aborted request must leave the queue, so that it does not take a place later.
      const release = await queue.acquire({ getSignal: () => callerSignal }).catch(() => {
        throw abortedError(callerSignal, target)
      })
      try {
        await unlessAborted(context.throttle(), target, callerSignal)
        return await sendNow(request, target, callerSignal)
      } finally {
        release()
      }
    },

    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

const nameOf = ({ url, method = 'GET', call = `${method} ${url.pathname}` }: HttpRequest) => call

function lostResponse(error: unknown, target: string, signal: AbortSignal): LostResponse {
  const { kind, message } = signal.aborted
    ? abortedError(signal, target)
    : connectionError(error, target)
  return new LostResponse(kind, message, { cause: error })
}

/** Collects bytes in one buffer: a response may arrive in parts of one byte. */
function createGrowingBuffer() {
  let bytes = Buffer.alloc(0)
  let size = 0
  return {
    size: () => size,
    append(part: Buffer): void {
      if (size + part.length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(size + part.length, 2 * bytes.length))
        bytes.copy(larger, 0, 0, size)
        freeBuffer(bytes)
        bytes = larger
      }
      size += part.copy(bytes, size)
    },
    /** All bytes so far. It is empty afterwards. */
    take(): Buffer {
      const taken = bytes.subarray(0, size)
      bytes = Buffer.alloc(0)
      size = 0
      return taken
    },
  }
}
