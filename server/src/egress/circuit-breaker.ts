import { LRUCache } from 'lru-cache'
import { NoResponseError } from '../domain/identity/provider-driver.ts'
import type { GuardedRequest } from './guarded-request.ts'

const failuresUntilOpen = 5
const probePeriod = 10_000
const maxServers = 1_000

interface Failures {
  readonly count: number
  /** When the next request may be sent. */
  nextProbe: number
}

/**
 * After 5 requests in a row without a response, a server gets one request in 10 seconds. All others
 * fail at once, so that logins do not wait for a server that is away.
 */
export function createCircuitBreaker(now: () => number = () => performance.now()) {
  const failing = new LRUCache<string, Failures>({ max: maxServers })

  return async function run<Result>(
    host: string,
    ca: string,
    request: () => Promise<Result>,
  ): Promise<Result> {
    // The key includes the certificate authority, because replacing it may solve the problem.
    const server = `${host} ${ca}`
    const failures = failing.get(server)
    if (failures && failures.count >= failuresUntilOpen) {
      if (now() < failures.nextProbe) {
        throw new NoResponseError(
          `${host}: not contacted, because the last requests got no response`,
        )
      }
      failures.nextProbe = now() + probePeriod
    }
    try {
      const response = await request()
      failing.delete(server)
      return response
    } catch (error) {
      // An invalid response may concern one user only, and must not block the logins of others.
      if (error instanceof NoResponseError) {
        const count = (failing.get(server)?.count ?? 0) + 1
        failing.set(server, { count, nextProbe: now() + probePeriod })
      } else failing.delete(server)
      throw error
    }
  }
}

export function withCircuitBreaker(
  request: GuardedRequest,
  now: () => number = () => performance.now(),
): GuardedRequest {
  const run = createCircuitBreaker(now)
  return async (url, options) => {
    // Nothing is sent, so it tells nothing about the server.
    if ((options.deadline ?? Infinity) <= now()) throw new Error(`${url.host}: no time left`)
    return await run(url.host, options.ca ?? '', () => request(url, options))
  }
}
