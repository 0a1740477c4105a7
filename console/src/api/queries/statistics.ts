import type { ServerStatistics } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { statusesIn, type StatusGroup } from '../../servers/status.ts'
import { renderTerm } from '../../filter/terms.ts'
import { api } from '../client.ts'

/** Servers with a common value: their count, vCPUs, and memory and disks in MB. */
export type Group = ServerStatistics['groups'][string][number]

/** Polling interval of statistics while the page is visible, in milliseconds. */
export const statisticsInterval = 60_000

interface StatisticsQuery {
  readonly groupBy: readonly string[]
  readonly q?: string
  readonly filter?: string
}

async function count({ groupBy, q, filter }: StatisticsQuery, signal: AbortSignal) {
  return api.getServerStatistics({
    query: { group_by: groupBy, q: q || undefined, filter, scope: 'max' },
    signal,
  })
}

/** How many servers the user can see, in total and per value of some fields. */
export const statisticsQuery = (query: StatisticsQuery) =>
  queryOptions({
    queryKey: ['servers', 'statistics', query],
    queryFn: ({ signal }) => count(query, signal),
    refetchInterval: statisticsInterval,
  })

/** The API groups by one field at a time, so two fields take one request per value of one of them. */
export const providerStatusQuery = queryOptions({
  queryKey: ['servers', 'statistics', 'provider and status'],
  queryFn: async ({ signal }) => {
    const countByProvider = async (q: string) => {
      const { groups } = await count({ groupBy: ['provider'], q }, signal)
      return groups['provider'] ?? []
    }
    const inGroup = (group: StatusGroup) => countByProvider(renderTerm('status', statusesIn[group]))
    const [all, running, stopped, changing, failed] = await Promise.all([
      countByProvider(''),
      inGroup('running'),
      inGroup('stopped'),
      inGroup('changing'),
      inGroup('failed'),
    ])
    return { all, running, stopped, changing, failed }
  },
  refetchInterval: statisticsInterval,
})
