import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '@muster/contract'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../domain/identity/principal.ts'
import { makeRequestId } from './request-id.ts'

/** An answer that may be given again to the same request, for as long as it is still right. */
export interface CachedResponse {
  readonly operation: Operation
  /** The token of the request, and whom it spoke for: that must be the same still, nothing changed. */
  readonly secret: string
  readonly principal: Principal
  /** From where it was asked: the same headers from the same peer say the same. */
  readonly ip: string
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: Buffer | undefined
  /** Whether what it shows is still so. */
  readonly isFresh: () => boolean
}

interface Dependencies {
  /** Who a secret is known to speak for at this moment, without asking anybody. */
  readonly findKnown: (secret: string) => Principal | undefined
  /** Counts a request against its token's limit; false where there is no room for it. */
  readonly countRequest: (principal: Principal) => boolean
  readonly isDraining: () => boolean
  /** Told of each answer, for metrics and log. */
  readonly note: (answer: CachedResponse, requestId: string, ms: number) => void
}

const keptBytes = 32 * 2 ** 20
const longestKey = 4_096

/** All that a request without a body consists of, and where it came from. */
function keyOf({ url = '', httpVersion, socket, rawHeaders }: IncomingMessage): string {
  let key = `${httpVersion} ${socket.remoteAddress ?? ''} ${url}`
  for (const text of rawHeaders) key += `\n${text}`
  return key
}

/**
 * Gives an answer again to a request that is the same to the last byte, without going the whole way
 * again: everything that depends on the request alone would come out the same. What does not is asked
 * anew each time: who the token speaks for, how often it may ask, whether the answer is still right.
 */
export function createResponseCache({ findKnown, countRequest, isDraining, note }: Dependencies) {
  const answers = new LRUCache<string, CachedResponse>({
    maxSize: keptBytes,
    maxEntrySize: keptBytes / 8,
    sizeCalculation: ({ body }, key) => (body?.length ?? 0) + 4 * key.length + 500,
  })

  return {
    remember(request: IncomingMessage, answer: CachedResponse): void {
      // An id of the client's own is in the answer too, and is another one each time.
      if (request.method !== 'GET' || request.headers['x-request-id'] !== undefined) return
      const key = keyOf(request)
      if (key.length <= longestKey) answers.set(key, answer)
    },

    /** Whether the request was answered here. */
    answer(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.method !== 'GET' || isDraining()) return false
      const start = performance.now()
      const key = keyOf(request)
      const known = answers.get(key)
      if (!known) return false
      const principal = findKnown(known.secret)
      if (principal !== known.principal || !known.isFresh()) {
        answers.delete(key)
        return false
      }
      if (!countRequest(principal)) return false
      const requestId = makeRequestId()
      response.writeHead(known.status, ['x-request-id', requestId, ...known.headers])
      response.end(known.body)
      note(known, requestId, performance.now() - start)
      return true
    },
  }
}
export type ResponseCache = ReturnType<typeof createResponseCache>

/** Lets repeated requests be answered before the framework sees them. */
export function serveCachedResponses({ server }: FastifyInstance, repeats: ResponseCache): void {
  const framework = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (repeats.answer(request, response)) return
    for (const handle of framework) handle.call(server, request, response)
  })
}
