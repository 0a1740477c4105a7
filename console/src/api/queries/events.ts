import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { pollHeader } from '@muster/sdk'
import { api } from '../client.ts'
import { eventRange } from '../event-bars.ts'
import { toEventQuery, type EventFilters } from '../event-filters.ts'
import { statisticsInterval } from './statistics.ts'

const pageSize = 50

/** Newest first, page by page. Not polled, so that rows do not move; new events are counted separately. */
export const eventsQuery = (filters: EventFilters) =>
  infiniteQueryOptions({
    queryKey: ['events', 'list', filters],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...toEventQuery(filters, Date.now()), limit: pageSize, marker: pageParam }
      const { body, headers } = await api.request('listEvents', { query, signal })
      return { events: body.events, hasMore: headers.has('link') }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ events, hasMore }) => (hasMore ? events.at(-1)?.id : undefined),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    refetchOnReconnect: false,
  })

/** Polls the newest events, to count those that are not in the list yet. */
export const newestEventsQuery = (filters: EventFilters) =>
  queryOptions({
    queryKey: ['events', 'newest', filters],
    queryFn: async ({ signal }) => {
      const query = { ...toEventQuery(filters, Date.now()), limit: pageSize }
      const headers = { [pollHeader]: '1' }
      return (await api.listEvents({ query, headers, signal })).events
    },
    refetchInterval: 60_000,
  })

/** How many events there were in each hour or day of the filtered time, in the time zone of the user. */
export const eventStatisticsQuery = (filters: EventFilters) =>
  queryOptions({
    queryKey: ['events', 'statistics', filters],
    queryFn: async ({ signal }) => {
      const now = Date.now()
      const range = eventRange(filters, now)
      const query = {
        since: `${new Date(range.from).toISOString().slice(0, 19)}Z`,
        ...toEventQuery(filters, now),
        interval: range.interval,
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      }
      const headers = { [pollHeader]: '1' }
      return { range, statistics: await api.getEventStatistics({ query, headers, signal }) }
    },
    refetchInterval: statisticsInterval,
  })
