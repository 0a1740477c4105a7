import type { ServerStatistics } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

/** Servers with a common value: their count, vCPUs, and memory and disks in MB. */
export type Group = ServerStatistics['groups'][string][number]

/** Polling interval of statistics while the page is visible, in milliseconds. */
export const statisticsInterval = 60_000

interface StatisticsQuery {
  readonly groupBy: readonly string[]
  readonly q?: string
  readonly filter?: string
  /** As they were at this moment; undefined for now. */
  readonly asOf?: string | undefined
}

async function count({ groupBy, q, filter, asOf }: StatisticsQuery, signal: AbortSignal) {
  return api.getServerStatistics({
    query: { group_by: groupBy, q: q || undefined, filter, as_of: asOf, scope: 'max' },
    signal,
  })
}

/** How many servers the user can see, in total and per value of some fields. */
export const statisticsQuery = (query: StatisticsQuery) =>
  queryOptions({
    queryKey: ['servers', 'statistics', query],
    queryFn: ({ signal }) => count(query, signal),
    // The past does not change.
    refetchInterval: query.asOf === undefined && statisticsInterval,
  })
