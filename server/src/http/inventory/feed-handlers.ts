import type { feedOperations } from '@muster/contract'
import { formatAnsibleInventory } from '../../domain/inventory/feeds/ansible-inventory.ts'
import type { FeedFormat } from '../../domain/inventory/feeds/feed-format.ts'
import { formatHostsFile, formatSshConfig } from '../../domain/inventory/feeds/host-files.ts'
import { formatPrometheusTargets } from '../../domain/inventory/feeds/prometheus-targets.ts'
import { readFeedQuery, readHostOptions } from '../../domain/inventory/feeds/read-feed-query.ts'
import { readGrouping } from '../../domain/inventory/read-statistics-query.ts'
import type { Caller } from '../../domain/identity/caller.ts'
import type { FilterParameters } from '../../domain/inventory/server-list/read-server-filter.ts'
import type { HandlersFor } from '../register-operations.ts'
import type { ReadAtMoment } from './read-at.ts'
import { createResponseMemory, type ResponseMemory } from '../response-memory.ts'

interface FeedCall {
  readonly caller: Caller
  readonly url: string
  readonly prefer: string | undefined
  readonly onEnd: (end: () => void) => void
  readonly query: FilterParameters & { readonly as_of?: string }
  readonly reserve: (bytes: number, memory: ResponseMemory) => Promise<void>
}

/** Estimated bytes that a feed with host names remembers: names, groups and ids. */
const rememberedBytes = 16 * 2 ** 20

/** Separate from the memory of pages, which slow readers of feeds would block. Requests wait only briefly. */
const feedLimits = {
  name: 'feeds',
  capacity: 6 * rememberedBytes,
  perUser: 2 * rememberedBytes,
  perToken: 2 * rememberedBytes,
  maxWaiting: 64,
  maxWaitingPerKey: 16,
  maxWait: 1_000,
}

const defaultGroups = ['provider', 'region', 'project', 'status']

/** Handlers for lists of servers in the formats of other programs. */
export function createFeedHandlers(readAt: ReadAtMoment): HandlersFor<typeof feedOperations> {
  const memory = createResponseMemory(feedLimits)

  async function answer(call: FeedCall, format: FeedFormat) {
    const { caller, query, reserve } = call
    const feedQuery = readFeedQuery(query)
    // Programs read feeds again and again: a time ago would be another moment each time.
    const { reads, headers } = await readAt(call, { isRelativeAllowed: false })
    if (format.maxServers !== undefined) await reserve(rememberedBytes, memory)
    return {
      status: 200,
      // An access key in `Authorization` identifies the caller, too.
      headers: { ...headers, vary: 'X-Auth-Token, Authorization, Accept-Encoding' },
      body: await reads.exportFeed(caller, feedQuery, format),
    }
  }

  return {
    async exportPrometheusTargets(call) {
      const { address = 'first', port = 9_100 } = call.query
      return await answer(call, formatPrometheusTargets({ address, port }))
    },

    async exportAnsibleInventory(call) {
      const { group_by = defaultGroups } = call.query
      const groups = [...new Set(group_by)].map(readGrouping)
      return await answer(call, formatAnsibleInventory({ ...readHostOptions(call.query), groups }))
    },

    exportSshConfig: (call) => answer(call, formatSshConfig(readHostOptions(call.query))),
    exportHostsFile: (call) => answer(call, formatHostsFile(readHostOptions(call.query))),
  }
}
