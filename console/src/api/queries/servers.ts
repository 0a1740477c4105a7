import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Row } from '../../servers/stable-pages.ts'
import type { Scope } from '../../servers/list-state.ts'
import { refreshInterval } from '../../servers/refresh-interval.ts'
import type { Sort } from '../../url/sort.ts'
import { api } from '../client.ts'

export const pageSize = 100
/** So long a page counts as just loaded. */
export const freshFor = 2_000

/** Which servers, in which order, and what of them. */
export interface ServersQuery {
  readonly q: string
  readonly scope: Scope
  readonly sort: Sort
  readonly fields: readonly string[]
}

const selectionOf = ({ q, scope }: Pick<ServersQuery, 'q' | 'scope'>) => ({
  ...(q !== '' && { q }),
  scope,
})

/** One page of the list; a page further down is asked for when somebody scrolls there. */
export const serverPageQuery = (query: ServersQuery, index: number) =>
  queryOptions({
    queryKey: ['servers', 'page', query, index],
    queryFn: async ({ signal }) => {
      const { sort, fields } = query
      const { servers, total } = await api.listServers({
        query: {
          ...selectionOf(query),
          order_by: sort.by,
          order: sort.order,
          details: true,
          with_meta: true,
          field: fields,
          limit: pageSize,
          offset: index * pageSize,
        },
        signal,
      })
      return { index, total, rows: servers as readonly Row[] }
    },
    staleTime: freshFor,
    // Who scrolls through a fleet leaves hundreds of pages behind.
    gcTime: 60_000,
    refetchInterval: (query) => refreshInterval(query, query.state.data?.rows ?? []),
  })

/** How many there are without any filter. */
export const fleetSizeQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['servers', 'size', scope],
    queryFn: async ({ signal }) =>
      (await api.listServers({ query: { scope, limit: 0 }, signal })).total,
    refetchInterval: 60_000,
  })

/** How many servers a query has for each value of some fields; not asked before its turn has come. */
export const countsQuery = (q: string, scope: Scope, groups: readonly string[], isDue = true) =>
  queryOptions({
    queryKey: ['servers', 'counts', q, scope, groups],
    queryFn: async ({ signal }) =>
      (
        await api.getServerStatistics({
          query: { ...selectionOf({ q, scope }), group_by: groups },
          signal,
        })
      ).groups,
    enabled: isDue && groups.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
