import type { ServerStatistics } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { statusesIn, type StatusGroup } from '../../servers/status.ts'
import { renderTerm } from '../../filter/terms.ts'
import { api } from '../client.ts'

/** Servers that have a value in common, with their cores, and their memory and disks in MB. */
export type Group = ServerStatistics['groups'][string][number]

/** How often what is counted is counted again, while somebody looks. */
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

/** How many servers there are, as far as the caller may see, and by what they have in common. */
export const statisticsQuery = (query: StatisticsQuery) =>
  queryOptions({
    queryKey: ['servers', 'statistics', query],
    queryFn: ({ signal }) => count(query, signal),
    refetchInterval: statisticsInterval,
  })

/** The API groups by one field at a time: a pair takes one request for each value of one of them. */
export const providerStatusQuery = queryOptions({
  queryKey: ['servers', 'statistics', 'provider and status'],
  queryFn: async ({ signal }) => {
    const ask = async (q: string) => {
      const { groups } = await count({ groupBy: ['provider'], q }, signal)
      return groups['provider'] ?? []
    }
    const inGroup = (group: StatusGroup) => ask(renderTerm('status', statusesIn[group]))
    const [all, running, stopped, changing, failed] = await Promise.all([
      ask(''),
      inGroup('running'),
      inGroup('stopped'),
      inGroup('changing'),
      inGroup('failed'),
    ])
    return { all, running, stopped, changing, failed }
  },
  refetchInterval: statisticsInterval,
})
