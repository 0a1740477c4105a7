import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '@muster/contract'
import type { FastifyInstance } from 'fastify'
import { createCache, type CacheMemory } from '../domain/cache.ts'
import type { Principal } from '../domain/identity/principal.ts'
import { makeRequestId } from './request-id.ts'

/** A response that can be sent again for an identical request while it is fresh. */
export interface CachedResponse {
  readonly operation: Operation
  /** The caller. A hit requires the same object. */
  readonly principal: Principal
  /** The client address, for the log. It is part of the cache key through the peer and the headers. */
  readonly ip: string
  readonly status: number
  /** Alternating names and values, as `writeHead` accepts them. */
  readonly headers: readonly string[]
  readonly body: Buffer | undefined
  /** False once the data behind the response has changed. */
  readonly isFresh: () => boolean
}

interface Dependencies {
  /** The cached principal of a token, without a query. */
  readonly findKnown: (secret: string) => Principal | undefined
  /** Counts a request against the rate limit of its token. Returns false if the limit is exceeded. */
  readonly countRequest: (principal: Principal) => boolean
  readonly isDraining: () => boolean
  /** Called for each response from the cache, for metrics and log. */
  readonly note: (answer: CachedResponse, requestId: string, ms: number) => void
  readonly memory: CacheMemory
}

const maxKeyLength = 4_096

/** The cache key: everything in a request without a body, and the address of the peer. */
function keyOf({ url = '', httpVersion, socket, rawHeaders }: IncomingMessage): string {
  let key = `${httpVersion} ${socket.remoteAddress ?? ''} ${url}`
  for (const text of rawHeaders) key += `\n${text}`
  return key
}

/**
 * Caches responses by the exact bytes of the request. Everything that depends on the request alone
 * gives the same result again. The rest is checked for every hit: the principal of the token, its
 * rate limit and whether the response is fresh.
 */
export function createResponseCache(dependencies: Dependencies) {
  const { findKnown, countRequest, isDraining, note, memory } = dependencies
  const responses = createCache<string, Principal, CachedResponse>(
    memory,
    'responses',
    ({ body }) => (body?.length ?? 0) + 1_000,
  )

  return {
    remember(request: IncomingMessage, answer: CachedResponse): void {
      // A request id from the client is in the response too and differs each time.
      if (request.method !== 'GET' || request.headers['x-request-id'] !== undefined) return
      const key = keyOf(request)
      if (key.length <= maxKeyLength) responses.set(key, answer.principal, answer)
    },

    /** Returns true if the request was answered from the cache. */
    answer(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.method !== 'GET' || isDraining()) return false
      const start = performance.now()
      const secret = request.headers['x-auth-token']
      const principal = typeof secret === 'string' ? findKnown(secret) : undefined
      const cached = responses.get(keyOf(request), principal)
      // A response that is not fresh may become so again, so it stays.
      if (!principal || !cached?.isFresh() || !countRequest(principal)) return false
      const requestId = makeRequestId()
      response.writeHead(cached.status, ['x-request-id', requestId, ...cached.headers])
      response.end(cached.body)
      note(cached, requestId, performance.now() - start)
      return true
    },
  }
}
export type ResponseCache = ReturnType<typeof createResponseCache>

/** Answers from the cache before Fastify sees the request. */
export function serveCachedResponses({ server }: FastifyInstance, cache: ResponseCache): void {
  const framework = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (cache.answer(request, response)) return
    for (const handle of framework) handle.call(server, request, response)
  })
}
