import type { ServerChangeStatisticsQuery } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { statusesIn } from '../../servers/status.ts'
import { api } from '../client.ts'
import { statisticsInterval } from './statistics.ts'

/** The API's form of the last 24 hours, as in links to the same changes. */
export const lastDay = '-24h'

const recentChangesQuery = (query: ServerChangeStatisticsQuery) =>
  queryOptions({
    queryKey: ['servers', 'changes', 'recent', query],
    queryFn: ({ signal }) =>
      api.getServerChangeStatistics({ query: { ...query, since: lastDay, scope: 'max' }, signal }),
    refetchInterval: statisticsInterval,
  })

/** Changes of the last 24 hours, by hour and kind. */
export const changesByHourQuery = recentChangesQuery({ group_by: ['hour', 'kind'] })

/** Servers that stopped in the last 24 hours, in the same form. */
export const stoppedByHourQuery = recentChangesQuery({
  kind: ['status'],
  new_status: [...statusesIn.stopped],
  group_by: ['hour', 'kind'],
})
