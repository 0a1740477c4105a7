import { PlatformError } from '../error.ts'
import type { Account } from './account.ts'
import type { OpenSource } from './open-source.ts'
import type { ReportedServer, ServerReference, UnreadableServer } from './source.ts'

interface Dependencies {
  readonly account: Account
  readonly openSource: Pick<OpenSource, 'openAccount'>
  readonly signal: AbortSignal
  /** Called before the request, because a running scan has an older state of the server. */
  readonly claim: (id: string) => Promise<void>
  readonly record: (server: ReportedServer | UnreadableServer) => Promise<void>
  /** Called when the source does not have the server. */
  readonly onMissing: (id: string, signal: AbortSignal) => Promise<void>
}

/** A fetch is more than one request. */
const shortestLimit = 20_000
const maxConcurrentFetches = 8

/** Reads single servers of an account from its source. Requests for the same server share one fetch. */
export function createFetchServer(dependencies: Dependencies) {
  const { account, openSource, signal, claim, record, onMissing } = dependencies
  const longestFetch = Math.max(shortestLimit, account.request_timeout * 1_000)
  const running = new Map<string, Promise<void>>()

  async function fetchOnce(id: string, reference: ServerReference): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(longestFetch)])
    await claim(id)
    const source = await openSource.openAccount(account, limit, 'get')
    let server
    try {
      server = await source.get(reference, limit)
      if (server) await record(server)
    } finally {
      await source.close().catch(() => {})
    }
    if (!server) await onMissing(id, limit)
  }

  return async function fetchServer(id: string, reference: ServerReference): Promise<void> {
    const current = running.get(id)
    if (current) return await current
    if (running.size >= maxConcurrentFetches) {
      throw new PlatformError(
        'TooManyRequests',
        'Too many servers of this account are being refreshed. Wait and try again.',
        { retryAfter: 5 },
      )
    }
    const fetching = fetchOnce(id, reference).finally(() => running.delete(id))
    running.set(id, fetching)
    await fetching
  }
}
