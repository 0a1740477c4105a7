import type { CheckSeverity } from '@muster/contract'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { fastInterval, refreshInterval } from '../../servers/refresh-interval.ts'
import { api } from '../client.ts'

const slowInterval = 60_000
const pageSize = 50
/** More than the checks of the system, a domain and a project. */
const mostChecks = 500
const urgency: readonly CheckSeverity[] = ['critical', 'warning', 'info']

/** One server with all fields; `isPollingFast` while a sync of it is expected to finish. */
export const serverQuery = (id: string, isPollingFast = false, asOf?: string) =>
  queryOptions({
    queryKey: asOf === undefined ? ['servers', 'one', id] : ['servers', 'past', id, asOf],
    queryFn: async ({ signal }) => {
      const query = { as_of: asOf }
      return (await api.getServer({ parameters: { id }, query, signal })).server
    },
    refetchInterval: (query) => {
      if (asOf !== undefined) return false
      const { data } = query.state
      return isPollingFast ? fastInterval : refreshInterval(query, data ? [data] : [])
    },
  })

/** The history of a server up to a moment, or now, newest first, page by page. */
export const serverHistoryQuery = (id: string, asOf?: string) =>
  infiniteQueryOptions({
    queryKey: ['servers', 'history', id, asOf],
    queryFn: async ({ pageParam: marker, signal }) => {
      const { body, headers } = await api.request('getServerHistory', {
        parameters: { id },
        query: { limit: pageSize, marker, before: asOf && justAfter(asOf) },
        signal,
      })
      return { events: body.events, hasMore: headers.has('link') }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ events, hasMore }) => (hasMore ? events.at(-1)?.id : undefined),
    refetchInterval: asOf === undefined && slowInterval,
  })

/** What happened at a moment belongs to it. */
const justAfter = (moment: string): string => new Date(Date.parse(moment) + 1).toISOString()

/** How many changes of a server there were on each day up to a moment, or now, in the time zone of the user. */
export const serverChangeDaysQuery = (id: string, days: number, asOf?: string) =>
  queryOptions({
    queryKey: ['servers', 'change days', id, days, asOf],
    queryFn: ({ signal }) => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
      const query = {
        id: [id],
        since:
          asOf === undefined
            ? `-${days}d`
            : new Date(Date.parse(asOf) - days * 86_400_000).toISOString(),
        until: asOf && justAfter(asOf),
        group_by: ['day' as const],
        scope: 'max' as const,
      }
      return api.getServerChangeStatistics({ query: { ...query, time_zone: timeZone }, signal })
    },
    refetchInterval: asOf === undefined && slowInterval,
  })

/** The sync interval of a server's account in seconds, which decides when its data is stale. */
export const accountPeriodQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['accounts', 'period', accountId],
    queryFn: async ({ signal }) => {
      const { cloudaccount } = await api.getCloudAccount({ parameters: { id: accountId }, signal })
      return cloudaccount.period
    },
    staleTime: slowInterval,
  })

/** The checks that a server violates now, the most urgent first. */
export const violatedChecksQuery = (id: string) =>
  queryOptions({
    queryKey: ['checks', 'violated', id],
    queryFn: async ({ signal }) => {
      const query = { violated_by: id, order_by: ['name' as const], order: 'asc' as const }
      const { checks } = await api.listChecks({ query: { ...query, limit: mostChecks }, signal })
      return checks.toSorted((a, b) => urgency.indexOf(a.severity) - urgency.indexOf(b.severity))
    },
    refetchInterval: slowInterval,
  })

/** The end of support of the operating system that a source names; undefined if it is not known. */
export const operatingSystemQuery = (osName: string) =>
  queryOptions({
    queryKey: ['operating systems', osName],
    queryFn: async ({ signal }) => {
      const query = { os_name: osName }
      return (await api.getOperatingSystems({ query, signal })).operating_systems[0] ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The names of networks, by their ids. */
export const networkNamesQuery = (ids: readonly string[], asOf: string | undefined) =>
  queryOptions({
    queryKey: ['networks', 'names', ids, asOf],
    queryFn: async ({ signal }) => {
      const query = { id: [...ids], field: ['id', 'name'], limit: ids.length, as_of: asOf }
      const { networks } = await api.listNetworks({ query: { ...query, scope: 'max' }, signal })
      return new Map(networks.map(({ id, name }) => [id, name]))
    },
    enabled: ids.length > 0,
    staleTime: slowInterval,
  })
