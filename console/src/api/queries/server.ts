import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { quick, refreshInterval } from '../../servers/refresh-interval.ts'
import { api } from '../client.ts'

const seldom = 60_000
const eventsAPage = 50

/** One server with all of its fields; `isPollingFast` where news of it is expected. */
export const serverQuery = (id: string, isPollingFast = false) =>
  queryOptions({
    queryKey: ['servers', 'one', id],
    queryFn: async ({ signal }) => (await api.getServer({ parameters: { id }, signal })).server,
    refetchInterval: (query) => {
      const { data } = query.state
      return isPollingFast ? quick : refreshInterval(query, data ? [data] : [])
    },
  })

/** What became of a server, newest first, a page after the other. */
export const serverHistoryQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['servers', 'history', id],
    queryFn: async ({ pageParam: marker, signal }) => {
      const { body, headers } = await api.request('getServerHistory', {
        parameters: { id },
        query: { limit: eventsAPage, marker },
        signal,
      })
      return { events: body.events, hasMore: headers.has('link') }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ events, hasMore }) => (hasMore ? events.at(-1)?.id : undefined),
    refetchInterval: seldom,
  })

/** How often the account that holds a server is synced, in seconds: what its age is judged by. */
export const accountPeriodQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['accounts', 'period', accountId],
    queryFn: async ({ signal }) => {
      const { cloudaccount } = await api.getCloudAccount({ parameters: { id: accountId }, signal })
      return cloudaccount.period
    },
    staleTime: seldom,
  })
