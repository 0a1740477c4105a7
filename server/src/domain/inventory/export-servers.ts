import { Server } from '@muster/contract'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { csvHeader, csvRow } from '../query/csv.ts'
import { startStream } from '../query/start-stream.ts'
import type { FeedFormat, IsShared } from './feeds/feed-format.ts'
import { shortFields } from './fields.ts'
import { nextPosition, pageQueryOf } from './server-list/list-servers.ts'
import { withLastSyncTime, type LastSyncTimes } from './last-sync-times.ts'
import type { Owners } from './owners.ts'
import type { Position } from '../query/marker.ts'
import {
  requesterOf,
  type PageQuery,
  type Requester,
  type ServerFinder,
  type ServerParts,
} from './ports.ts'
import { ownership } from './caller-fields.ts'
import { createRowRenderer, type RowRenderer } from './server-list/render-rows.ts'
import type { ServerQuery } from './server-list/server-query.ts'
import { findVisibility, requireStateAccess, type Visibility } from './server-list/visibility.ts'

interface Dependencies {
  readonly finder: ServerFinder
  readonly owners: Owners
  readonly syncTimes: LastSyncTimes
}

/** Small enough that concurrent quick requests are not delayed noticeably. */
const atOnce = 96
const mostTries = 20
/** With more, all names count as shared, so that the memory for them is limited. */
const mostSharedNames = 50_000

type RenderRow = (rows: RowRenderer, parts: ServerParts) => string | Buffer

const serverKeys = (Object.keys(Server.properties) as (keyof Server)[]).toSorted()

const ndjsonRow: RenderRow = (rows, parts) => Buffer.concat(rows.render(parts, '\n'))

/** The columns of a table: the requested fields, or those of the object. */
function csvColumns({ keys, details, withMetadata }: ServerQuery): readonly (keyof Server)[] {
  if (keys) return keys
  const own = details ? serverKeys.filter((key) => key !== 'metadata') : shortFields
  return withMetadata ? [...own, 'metadata'] : own
}

interface ExportFormat {
  readonly head: string
  readonly row: RenderRow
  readonly tail: () => Iterable<string>
  readonly maxServers: number
}

function formatOf(query: ServerQuery): ExportFormat {
  const rest = { tail: () => [], maxServers: Infinity }
  if (query.format !== 'csv') return { ...rest, head: '', row: ndjsonRow }
  const columns = csvColumns(query)
  return {
    ...rest,
    head: csvHeader(columns),
    row: (rows, parts) => csvRow(columns, rows.renderObject(parts)),
  }
}

/** Streams all matching servers in order, with few of them in memory at a time. */
export function createExportServers({ finder, owners, syncTimes }: Dependencies) {
  /** Reads page after page. A server that was rewritten before it could be loaded is searched again. */
  async function* pages(query: ServerQuery, pageQuery: PageQuery, maxServers: number) {
    const usual = { ...pageQuery, limit: atOnce, offset: 0, isStreamed: true }
    let [after, ignoresCache]: [Position | undefined, boolean] = [pageQuery.after, false]
    let { requester } = pageQuery
    let tries = 0
    for (;;) {
      const page = await finder.find({ ...usual, after, ignoresCache, requester })
      if (page.total > maxServers) throw tooManyServers(page.total, maxServers)
      const parts = await finder.load(page.found, requester)
      const next = parts && (await nextPosition(finder, query.order, page, parts))
      ignoresCache = parts === undefined || next === 'changed'
      if (parts === undefined || next === 'changed') {
        tries += 1
        if (tries > mostTries) throw new Error('the servers of an export change too fast')
        continue
      }
      tries = 0
      yield parts
      if (!next) return
      requester = { ...pageQuery.requester, isStreaming: true }
      after = next
    }
  }

  async function* rows(
    query: ServerQuery,
    { row, maxServers }: ExportFormat,
    visibility: Visibility,
    requester: Requester,
  ): AsyncGenerator<Buffer> {
    const pageQuery = pageQueryOf(query, visibility, requester)
    for await (const page of pages(query, pageQuery, maxServers)) {
      const rows = createRowRenderer(query, await ownership(owners), visibility)
      const pieces = page.map((parts) => row(rows, withLastSyncTime(parts, syncTimes)))
      yield Buffer.concat(
        pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
      )
    }
  }

  const stream = (
    caller: Caller,
    query: ServerQuery,
    format: ExportFormat,
    visibility = visibilityOf(caller, query),
  ) => startStream(format, rows(query, format, visibility, requesterOf(caller)))

  /**
   * Names are compared with those of all visible servers in use. For recycled and deleted servers, every name
   * counts as shared.
   */
  async function findShared(
    caller: Caller,
    { state }: ServerQuery,
    { scope }: Visibility,
  ): Promise<IsShared> {
    if (state !== 'live') return () => true
    const names = await finder.findSharedNames(scope, mostSharedNames + 1, requesterOf(caller))
    if (names.length > mostSharedNames) return () => true
    const shared = new Set(names)
    return (name) => shared.has(name.toLowerCase())
  }

  return {
    exportServers: async (caller: Caller, query: ServerQuery): Promise<AsyncIterable<Buffer>> =>
      await stream(caller, query, formatOf(query)),

    /** Exports servers for another program. The query asks for all their fields. */
    async exportFeed(
      caller: Caller,
      query: ServerQuery,
      { head, row, tail = () => [], maxServers }: FeedFormat,
    ): Promise<AsyncIterable<Buffer>> {
      const visibility = visibilityOf(caller, query)
      const isShared =
        maxServers === undefined ? () => false : await findShared(caller, query, visibility)
      const format: ExportFormat = {
        head,
        row: (rows, parts) => row(rows.renderObject(parts) as Server, isShared),
        tail,
        maxServers: maxServers ?? Infinity,
      }
      return await stream(caller, query, format, visibility)
    },
  }
}
export type ExportUseCases = ReturnType<typeof createExportServers>

function visibilityOf({ principal, authorizedScope }: Caller, query: ServerQuery): Visibility {
  const visibility = findVisibility(principal, authorizedScope.scope, query.scope)
  requireStateAccess(query.state, visibility)
  return visibility
}

const tooManyServers = (total: number, max: number) =>
  new PlatformError(
    'InputParameterError',
    `${total} servers match, and this feed has at most ${max}. Narrow it with filters.`,
  )
