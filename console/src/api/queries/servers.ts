import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Row } from '../../servers/row.ts'
import type { Scope } from '../../inventory/list-state.ts'
import { refreshInterval } from '../../servers/refresh-interval.ts'
import type { Sort } from '../../url/sort.ts'
import { api } from '../client.ts'
import { freshFor, pageSize, type CountsQuery, type PageQuery } from './pages.ts'

/** Which servers, in which order, with which fields. */
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

/** One page of the list. A page is requested when the user scrolls to it. */
export const serverPageQuery = (query: ServersQuery, index: number): PageQuery<Row> => ({
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
  // Scrolling through a long list loads hundreds of pages.
  gcTime: 60_000,
  refetchInterval: (query) => refreshInterval(query, query.state.data?.rows ?? []),
})

/** How many servers there are without a filter. */
export const fleetSizeQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['servers', 'size', scope],
    queryFn: async ({ signal }) =>
      (await api.listServers({ query: { scope, limit: 0 }, signal })).total,
    refetchInterval: 60_000,
  })

/** How many servers match per value of some fields. `isDue`: false delays the request. */
export const countsQuery = (
  q: string,
  scope: Scope,
  groups: readonly string[],
  isDue = true,
): CountsQuery => ({
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
