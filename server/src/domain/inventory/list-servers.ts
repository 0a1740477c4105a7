import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { PlatformError } from '../error.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'
import type { Caller } from '../identity/caller.ts'
import type { IdentityVersion } from '../identity/ports.ts'
import { withLastSyncTime, type LastSyncTimes } from './last-sync-times.ts'
import { readMarker, writeMarker } from '../query/marker.ts'
import { fields } from './fields.ts'
import { createSeenBefore } from './seen-before.ts'
import { nextPosition } from './next-position.ts'
import type { Owners } from './owners.ts'
import type { Owner, PageQuery, Requester, ServerFinder, ServerParts } from './ports.ts'
import { bodyFor, renderRows } from './render-rows.ts'
import { requesterOf } from './requester-of.ts'
import type { ServerQuery } from './server-query.ts'
import { findVisibility, requireStateAccess, type Visibility } from './visibility.ts'

/** A rendered page. */
export interface ServerPage {
  /** In pieces, so that stored parts are sent without a copy. */
  readonly body: readonly Buffer[]
  readonly etag: string
  /** The marker of the next page; undefined for the last page. */
  readonly marker: string | undefined
  /** Whether a cached page is still valid for its caller; absent if the page is not cached. */
  readonly isFresh?: () => boolean
}

interface CachedPage {
  readonly syncTimes: number
  readonly serversVersion: number
  readonly identity: number
  readonly page: ServerPage
}

const maxCacheBytes = 64 * 2 ** 20
const maxCachedPage = maxCacheBytes / 16
const maxAttempts = 5
const rememberedQueries = 10_000

const serversChanged = () =>
  new PlatformError('ServiceUnavailable', 'The servers changed during the query. Try again.', {
    retryAfter: 1,
  })

const lengthOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0)

/** The query that the storage runs for a list. */
export const pageQueryOf = (
  query: ServerQuery,
  { scope }: Visibility,
  requester: Requester,
): PageQuery => ({
  requester,
  scope,
  view: query.view,
  where: query.where,
  order: query.order,
  limit: query.limit,
  offset: query.offset,
  after: query.marker === undefined ? undefined : readMarker(fields, query.marker, query),
})

interface Dependencies {
  readonly finder: ServerFinder
  readonly owners: Owners
  readonly identityVersion: IdentityVersion
  readonly syncTimes: LastSyncTimes
}

/**
 * Lists servers. A page is cached as bytes until the servers of its scope or the identity data
 * change.
 */
export function createListServers({ finder, owners, identityVersion, syncTimes }: Dependencies) {
  const pages = new LRUCache<string, CachedPage>({
    maxSize: maxCacheBytes,
    maxEntrySize: maxCachedPage,
    sizeCalculation: ({ page }, key) => lengthOf(page.body) + 2 * key.length + 200,
  })

  const isSeenBefore = createSeenBefore(rememberedQueries)

  /** Only with its metadata does a server say how old it is. */
  const ageOf = ({ withMetadata }: ServerQuery) => (withMetadata ? syncTimes.version() : 0)

  /** Repeats the query if a server that it found was changed before it was loaded. */
  function findParts(query: ServerQuery, pageQuery: PageQuery) {
    let ignoresCache = false
    return retryOnConflict(
      async () => {
        const found = await finder.find({ ...pageQuery, ignoresCache })
        ignoresCache = true
        const parts = await finder.load(found.found, bodyFor(query), query.withMetadata)
        const next = parts && (await nextPosition(finder, query.order, found, parts))
        return parts && next !== 'changed' ? { found, parts, next } : undefined
      },
      { maxAttempts, exhausted: serversChanged },
    )
  }

  async function render(
    query: ServerQuery,
    total: number,
    parts: readonly ServerParts[],
    owned: ReadonlyMap<string, Owner>,
    visibility: Visibility,
  ): Promise<Pick<ServerPage, 'body' | 'etag'>> {
    const rows = await renderRows(parts, query, owned, visibility)
    const start = `{"limit":${query.limit},"offset":${query.offset},"servers":[`
    const end = `],"total":${total}}`
    return {
      body: [Buffer.from(start), ...rows.pieces, Buffer.from(end)],
      etag: `"${hash('md5', start + rows.digest + end, 'base64url')}"`,
    }
  }

  async function makePage(
    query: ServerQuery,
    visibility: Visibility,
    requester: Requester,
  ): Promise<ServerPage> {
    const pageQuery = pageQueryOf(query, visibility, requester)
    const { found, parts, next } = await findParts(query, pageQuery)
    const owned = await owners.byProject()
    const shown = query.withMetadata
      ? parts.map((part) => withLastSyncTime(part, syncTimes))
      : parts
    return {
      ...(await render(query, found.total, shown, owned, visibility)),
      marker: next && writeMarker(query, next),
    }
  }

  /** The text is the query as it was asked: whoever asks in the same words gets the same page. */
  return async function listServers(
    caller: Caller,
    query: ServerQuery,
    text: string,
  ): Promise<ServerPage> {
    const { principal, authorizedScope } = caller
    const visibility = findVisibility(principal, authorizedScope.scope, query.scope)
    requireStateAccess(query.view, visibility)
    const [serversVersion, identity] = [finder.version(visibility.scope), identityVersion.current()]
    const age = ageOf(query)
    const key = `${visibility.key}${text}`
    const known = pages.get(key)
    if (
      known &&
      known.serversVersion === serversVersion &&
      known.identity === identity &&
      known.syncTimes === age
    ) {
      return known.page
    }
    const page = await makePage(query, visibility, requesterOf(caller))
    // Most pages are asked for once: only those that are asked for again are worth their memory.
    const isCached = isSeenBefore(key) && lengthOf(page.body) < maxCachedPage / 2
    if (isCached && serversVersion !== undefined && identity !== undefined) {
      const cached = {
        ...page,
        body: [Buffer.concat(page.body)],
        isFresh: () =>
          finder.version(visibility.scope) === serversVersion &&
          identityVersion.current() === identity &&
          ageOf(query) === age,
      }
      pages.set(key, { serversVersion, identity, syncTimes: age, page: cached })
      return cached
    }
    return page
  }
}
export type ListServers = ReturnType<typeof createListServers>
