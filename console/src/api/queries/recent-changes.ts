import type { ServerChangeStatisticsQuery } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { statusesIn } from '../../servers/status.ts'
import { api } from '../client.ts'
import { statisticsInterval } from './statistics.ts'

const recentChangesQuery = (since: number, query: ServerChangeStatisticsQuery) =>
  queryOptions({
    queryKey: ['servers', 'changes', 'recent', since, query],
    queryFn: ({ signal }) =>
      api.getServerChangeStatistics({
        query: { ...query, since: new Date(since).toISOString(), scope: 'max' },
        signal,
      }),
    refetchInterval: statisticsInterval,
  })

/** Changes since a time, which is the begin of an hour, by hour and kind. */
export const changesByHourQuery = (since: number) =>
  recentChangesQuery(since, { group_by: ['hour', 'kind'] })

/** Servers that stopped since a time, in the same form. */
export const stoppedByHourQuery = (since: number) =>
  recentChangesQuery(since, {
    kind: ['status'],
    new_status: [...statusesIn.stopped],
    group_by: ['hour', 'kind'],
  })
