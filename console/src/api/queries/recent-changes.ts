import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'
import { statisticsInterval } from './statistics.ts'

/** Changes since a time, which is the begin of an hour, by hour and kind. */
export const recentChangesQuery = (since: number) =>
  queryOptions({
    queryKey: ['servers', 'changes', 'recent', since],
    queryFn: ({ signal }) =>
      api.getServerChangeStatistics({
        query: {
          group_by: ['hour', 'kind'],
          since: new Date(since).toISOString(),
          scope: 'max',
        },
        signal,
      }),
    refetchInterval: statisticsInterval,
  })
