import type { ServerTimeline } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'
import { statisticsInterval } from './statistics.ts'

export type DayCount = ServerTimeline['timeline'][number]

/** The fleet's size day by day, oldest first, as far as the caller may see. */
export const timelineQuery = (days: number) =>
  queryOptions({
    queryKey: ['servers', 'timeline', days],
    queryFn: async ({ signal }) => {
      const { timeline } = await api.getServerTimeline({ query: { days, scope: 'max' }, signal })
      return timeline
    },
    refetchInterval: statisticsInterval,
  })
