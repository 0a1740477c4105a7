import type { serverOperations } from '@muster/contract'
import type { GetTagPairs } from '../../domain/inventory/get-tag-pairs.ts'
import type { CountServers } from '../../domain/inventory/count-servers.ts'
import { chooseFormat } from '../../domain/query/choose-format.ts'
import type { createChangeMetadata } from '../../domain/inventory/change-metadata.ts'
import type { ExportUseCases } from '../../domain/inventory/export-servers.ts'
import type { FindServer, GetServer } from '../../domain/inventory/get-server.ts'
import type { ResourceUseCases } from '../../domain/inventory/list-resources.ts'
import type { ListServers } from '../../domain/inventory/server-list/list-servers.ts'
import { readServerQuery } from '../../domain/inventory/server-list/read-server-query.ts'
import { readStatisticsQuery } from '../../domain/inventory/read-statistics-query.ts'
import type { ServerQuery } from '../../domain/inventory/server-list/server-query.ts'
import type { ListEvents } from '../../domain/inventory/history/list-events.ts'
import type { TimelineUseCases } from '../../domain/inventory/read-timeline.ts'
import type { ReadHistory } from '../../domain/inventory/read-history.ts'
import type { RefreshServer } from '../../domain/sources/refresh-server.ts'
import { answerEvents, readEventQuery } from '../events.ts'
import { answerExport } from '../answer-export.ts'
import type { HandlersFor } from '../register-operations.ts'
import { conditionalResponse } from '../conditional-response.ts'
import { nextLink } from '../next-link.ts'
import type { ChangeUseCases } from './change-handlers.ts'
import { cacheNow, type ReadAtMoment, type ReadPast } from './read-at.ts'

/** What reads the inventory as it is, or as it was at a moment of the past. */
export interface InventoryReads extends ExportUseCases, ResourceUseCases {
  readonly listServers: ListServers
  readonly countServers: CountServers
  readonly getServer: GetServer
}

export interface InventoryUseCases
  extends ReturnType<typeof createChangeMetadata>, InventoryReads, ChangeUseCases {
  readonly readPast: ReadPast
  readonly readPastServer: ReadPast<Pick<InventoryReads, 'getServer'>>
  readonly listEvents: ListEvents
  readonly getTagPairs: GetTagPairs
  readonly readTimeline: TimelineUseCases['readTimeline']
  readonly findServer: FindServer
  readonly refreshServer: RefreshServer
  readonly readHistory: ReadHistory
}

/** Estimated size of a page in bytes: the typical size of a server times the limit. */
const estimateBytes = ({ limit, details, withMetadata }: ServerQuery): number =>
  limit * ((details ? 4_096 : 1_024) + (withMetadata ? 1_024 : 0))

/** Handlers for operations on servers. */
export const createInventoryHandlers = (
  useCases: InventoryUseCases,
  { baseUrl }: { readonly baseUrl: string },
  readAt: ReadAtMoment,
  readServerAt: ReadAtMoment<Pick<InventoryReads, 'getServer'>>,
): HandlersFor<typeof serverOperations> => ({
  async listServers({
    caller,
    query,
    accept,
    url: requested,
    ifNoneMatch,
    reserve,
    prefer,
    onEnd,
  }) {
    // First, because a moment may have to be built.
    const serverQuery = readServerQuery(query, chooseFormat(accept))
    const { reads, url, headers, isPast } = await readAt({
      caller,
      query,
      url: requested,
      prefer,
      onEnd,
    })
    if (serverQuery.format !== 'json') {
      const body = await reads.exportServers(caller, serverQuery)
      const answer = answerExport('servers', serverQuery.format, body)
      return { ...answer, headers: { ...answer.headers, ...headers } }
    }
    await reserve(estimateBytes(serverQuery))
    const page = await reads.listServers(caller, serverQuery, url)
    const { marker } = page
    const link = nextLink(baseUrl + url, marker === undefined ? undefined : { marker })
    return cacheNow(
      isPast,
      conditionalResponse({ ...page, headers: { ...headers, ...link } }, ifNoneMatch),
    )
  },

  async getServerStatistics({ caller, query, url, prefer, onEnd }) {
    const statisticsQuery = readStatisticsQuery(query)
    const { reads, headers, isPast } = await readAt({ caller, query, url, prefer, onEnd })
    const counted = await reads.countServers(caller, statisticsQuery)
    // Only Cloudpods' client sends this. It reads the key `server`.
    if (query.summary_stats === undefined) {
      return cacheNow(isPast, { status: 200, headers, ...counted })
    }
    const [body = Buffer.of()] = counted.body
    return {
      status: 200,
      headers,
      body: `${body.subarray(0, -1).toString()},"server":${body.toString()}}`,
    }
  },

  async getTagPairs({ caller, query }) {
    return { status: 200, body: await useCases.getTagPairs(caller, query) }
  },

  async getServerTimeline({ caller, query }) {
    return { status: 200, body: await useCases.readTimeline(caller, query) }
  },

  async getServer({ caller, parameters, query, url, ifNoneMatch, prefer, onEnd }) {
    const { reads, headers } = await readServerAt(
      { caller, query, url, prefer, onEnd },
      { defaultScope: 'max', server: parameters.id },
    )
    const server = await reads.getServer(caller, parameters.id, query.scope)
    return conditionalResponse({ ...server, headers }, ifNoneMatch)
  },

  async getServerMetadata({ caller, parameters, query }) {
    const { parts } = await useCases.findServer(caller, parameters.id, query.scope)
    const metadata = parts.metadata?.toString() ?? '{}'
    return { status: 200, body: `{"metadata":${metadata},"server":${metadata}}` }
  },

  async mergeServerMetadata({ caller, parameters, body }) {
    const metadata = await useCases.mergeServerMetadata(caller, parameters.id, body.metadata)
    return { status: 200, body: { metadata } }
  },

  async replaceServerMetadata({ caller, parameters, body }) {
    const metadata = await useCases.replaceServerMetadata(caller, parameters.id, body.metadata)
    return { status: 200, body: { metadata } }
  },

  async addUserMetadata({ caller, parameters, body }) {
    const metadata = await useCases.mergeServerMetadata(caller, parameters.id, body.server)
    return { status: 200, body: { metadata, server: metadata } }
  },

  async setUserMetadata({ caller, parameters, body }) {
    const metadata = await useCases.replaceServerMetadata(caller, parameters.id, body.server)
    return { status: 200, body: { metadata, server: metadata } }
  },

  async getServerHistory({ caller, parameters, query, url }) {
    const eventQuery = readEventQuery(query)
    const page = await useCases.readHistory(caller, parameters.id, eventQuery, eventQuery.scope)
    return await answerEvents(page, eventQuery, baseUrl + url)
  },

  async syncServer({ caller, parameters }) {
    const { id, isFresh } = await useCases.refreshServer(caller, parameters.id)
    if (!isFresh) return { status: 202 }
    const { body } = await useCases.getServer(caller, id)
    return { status: 200, body: [body] }
  },
})
