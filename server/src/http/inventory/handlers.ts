import type { CountServers } from '../../domain/inventory/count-servers.ts'
import { chooseFormat } from '../../domain/inventory/choose-format.ts'
import type { createChangeMetadata } from '../../domain/inventory/change-metadata.ts'
import type { ExportServers } from '../../domain/inventory/export-servers.ts'
import type { FindServer, GetServer } from '../../domain/inventory/get-server.ts'
import type { ListServers } from '../../domain/inventory/list-servers.ts'
import { readServerQuery } from '../../domain/inventory/read-server-query.ts'
import { readStatisticsQuery } from '../../domain/inventory/read-statistics-query.ts'
import type { Handlers } from '../mount.ts'
import { linkOf } from './next-link.ts'
import { validated } from './validated.ts'

export interface InventoryUseCases extends ReturnType<typeof createChangeMetadata> {
  readonly listServers: ListServers
  readonly exportServers: ExportServers
  readonly countServers: CountServers
  readonly getServer: GetServer
  readonly findServer: FindServer
}

export type InventoryHandlers = Pick<
  Handlers,
  | 'listServers'
  | 'getServerStatistics'
  | 'getServer'
  | 'getServerMetadata'
  | 'mergeServerMetadata'
  | 'replaceServerMetadata'
>

const streamTypes = {
  csv: 'text/csv; charset=UTF-8',
  ndjson: 'application/x-ndjson; charset=UTF-8',
} as const

/** The operations on servers. */
export const createInventoryHandlers = (
  useCases: InventoryUseCases,
  { baseUrl }: { readonly baseUrl: string },
): InventoryHandlers => ({
  async listServers({ caller, query, accept, url, ifNoneMatch }) {
    const asked = readServerQuery(query, chooseFormat(accept))
    if (asked.format !== 'json') {
      return {
        status: 200,
        contentType: streamTypes[asked.format],
        headers: {
          'content-disposition': `attachment; filename="servers.${asked.format}"`,
        },
        body: await useCases.exportServers(caller, asked),
      }
    }
    const page = await useCases.listServers(caller, asked, url)
    const link = linkOf(page, baseUrl, url)
    return validated({ ...page, headers: link === undefined ? {} : { link } }, ifNoneMatch)
  },

  async getServerStatistics({ caller, query }) {
    const body = await useCases.countServers(caller, readStatisticsQuery(query))
    return { status: 200, body }
  },

  async getServer({ caller, parameters, ifNoneMatch }) {
    const server = await useCases.getServer(caller, parameters.id)
    return validated({ ...server, headers: {} }, ifNoneMatch)
  },

  async getServerMetadata({ caller, parameters }) {
    const { parts } = await useCases.findServer(caller, parameters.id)
    const body = `{"metadata":${parts.metadata?.toString() ?? '{}'}}`
    return { status: 200, body }
  },

  async mergeServerMetadata({ caller, parameters, body }) {
    const metadata = await useCases.mergeServerMetadata(caller, parameters.id, body.metadata)
    return { status: 200, body: { metadata } }
  },

  async replaceServerMetadata({ caller, parameters, body }) {
    const metadata = await useCases.replaceServerMetadata(caller, parameters.id, body.metadata)
    return { status: 200, body: { metadata } }
  },
})
