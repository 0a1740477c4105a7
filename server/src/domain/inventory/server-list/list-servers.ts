import { hash } from 'node:crypto'
import { createCache, type CacheMemory } from '../../cache.ts'
import { PlatformError } from '../../error.ts'
import { retryOnConflict } from '../../retry-on-conflict.ts'
import type { Caller } from '../../identity/caller.ts'
import type { IdentityVersion } from '../../identity/ports.ts'
import { withLastSyncTime, type LastSyncTimes } from '../last-sync-times.ts'
import { readMarker, writeMarker, type Position } from '../../query/marker.ts'
import { fields } from '../fields.ts'
import type { Owners } from '../owners.ts'
import {
  requesterOf,
  type FoundPage,
  type PageQuery,
  type Requester,
  type ServerFinder,
  type ServerParts,
} from '../ports.ts'
import { ownership } from '../caller-fields.ts'
import { createRowRenderer, renderRows } from './render-rows.ts'
import type { Order, ServerQuery } from './server-query.ts'
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

/** A page that was requested before. */
interface CachedPage {
  /** The version of the servers for which the page is known to be valid. */
  serversVersion: number
  /** The servers that it shows, and their total. */
  readonly contents: string
  /** Absent after the first request: most pages are requested once and not worth their memory. */
  readonly page?: ServerPage
}

/** Larger pages are not cached. */
const maxCachedPage = 2 * 2 ** 20
const maxAttempts = 5

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
  state: query.state,
  where: query.where,
  order: query.order,
  limit: query.limit,
  offset: query.offset,
  after: query.marker === undefined ? undefined : readMarker(fields, query.marker, query),
})

/**
 * Where the page after this one begins; undefined after the last. A server that has changed since it was
 * found may have another position. Continuing from there would skip others.
 */
export async function nextPosition(
  finder: ServerFinder,
  order: readonly Order[],
  { found, hasMore }: FoundPage,
  parts: readonly ServerParts[],
): Promise<Position | 'changed' | undefined> {
  const [last, lastParts] = [found.at(-1), parts.at(-1)]
  if (!hasMore || !last || !lastParts) return undefined
  if (last.keys) return { keys: last.keys, id: lastParts.id }
  return (await finder.position(last, order)) ?? 'changed'
}

interface Dependencies {
  readonly finder: ServerFinder
  readonly owners: Owners
  readonly identityVersion: IdentityVersion
  readonly syncTimes: LastSyncTimes
  readonly memory: CacheMemory
}

const contentsOf = ({ total, hasMore, found }: FoundPage): string =>
  found.reduce((text, { seq, revision }) => `${text} ${seq}:${revision}`, `${total} ${hasMore}`)

/**
 * Lists servers. A page is cached as bytes. When servers of its scope have changed, they are searched
 * again, and the bytes are used further if the page shows none of the changes.
 */
export function createListServers(dependencies: Dependencies) {
  const { finder, owners, identityVersion, syncTimes, memory } = dependencies
  const pages = createCache<string, string, CachedPage>(memory, 'pages', ({ page, contents }) =>
    page ? lengthOf(page.body) + contents.length : contents.length,
  )

  /** The version of everything in a page except the servers. Metadata includes the time of the last sync. */
  function versionOf({ withMetadata }: ServerQuery): string | undefined {
    const identity = identityVersion.current()
    return identity === undefined
      ? undefined
      : `${identity} ${withMetadata ? syncTimes.version() : ''}`
  }

  async function render(
    query: ServerQuery,
    visibility: Visibility,
    { total }: FoundPage,
    parts: readonly ServerParts[],
  ): Promise<Pick<ServerPage, 'body' | 'etag'>> {
    const rows = createRowRenderer(query, await ownership(owners), visibility)
    const shown = query.withMetadata
      ? parts.map((part) => withLastSyncTime(part, syncTimes))
      : parts
    const pieces = await renderRows(rows, shown)
    const start = `{"limit":${query.limit},"offset":${query.offset},"servers":[`
    const end = `],"total":${total}}`
    return {
      body: [Buffer.from(start), ...pieces, Buffer.from(end)],
      etag: `"${hash('md5', start + rows.digests() + end, 'base64url')}"`,
    }
  }

  /** Repeats the query if a server that it found was changed before it was loaded. */
  async function makePage(
    query: ServerQuery,
    visibility: Visibility,
    requester: Requester,
    cached: CachedPage | undefined,
  ) {
    const pageQuery = pageQueryOf(query, visibility, requester)
    let ignoresCache = false
    const attempt = async () => {
      const found = await finder.find({ ...pageQuery, ignoresCache })
      ignoresCache = true
      // Most pages are requested once and never compared.
      const contents = cached ? contentsOf(found) : ''
      if (cached?.page && cached.contents === contents) return { page: cached.page, contents }
      const parts = await finder.load(found.found)
      const next = parts && (await nextPosition(finder, query.order, found, parts))
      if (!parts || next === 'changed') return undefined
      const marker = next && writeMarker(query, next)
      return { page: { ...(await render(query, visibility, found, parts)), marker }, contents }
    }
    return (
      (await attempt()) ??
      (await retryOnConflict(attempt, { maxAttempts, exhausted: serversChanged }))
    )
  }

  /** The text is the query as it was sent: equal texts get the same page. */
  return async function listServers(
    caller: Caller,
    query: ServerQuery,
    text: string,
  ): Promise<ServerPage> {
    const { principal, authorizedScope } = caller
    const visibility = findVisibility(principal, authorizedScope.scope, query.scope)
    requireStateAccess(query.state, visibility)
    // Read before the data, so that a change during the query makes the page outdated.
    const [serversVersion, version] = [finder.version(visibility.scope), versionOf(query)]
    const key = JSON.stringify(visibility) + text
    const cached = pages.get(key, version)
    if (cached?.page && cached.serversVersion === serversVersion) return cached.page
    const { page, contents } = await makePage(query, visibility, requesterOf(caller), cached)
    if (serversVersion === undefined) return page
    if (page === cached?.page) {
      cached.serversVersion = serversVersion
      return page
    }
    if (!cached || lengthOf(page.body) > maxCachedPage) {
      pages.set(key, version, { serversVersion, contents })
      return page
    }
    const entry: Required<CachedPage> = {
      serversVersion,
      contents,
      page: {
        ...page,
        body: [Buffer.concat(page.body)],
        isFresh: () =>
          finder.version(visibility.scope) === entry.serversVersion && versionOf(query) === version,
      },
    }
    pages.set(key, version, entry)
    return entry.page
  }
}
export type ListServers = ReturnType<typeof createListServers>
