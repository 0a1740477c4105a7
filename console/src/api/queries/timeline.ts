import type { ServerTimeline } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'
import { statisticsInterval } from './statistics.ts'

export type DayCount = ServerTimeline['timeline'][number]

/** How many servers the user could see per day, oldest first. */
export const timelineQuery = (days: number) =>
  queryOptions({
    queryKey: ['servers', 'timeline', days],
    queryFn: async ({ signal }) => {
      const { timeline } = await api.getServerTimeline({ query: { days, scope: 'max' }, signal })
      return timeline
    },
    refetchInterval: statisticsInterval,
  })
