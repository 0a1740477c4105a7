import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Row } from '../../servers/row.ts'
import type { Scope } from '../../inventory/list-state.ts'
import { refreshInterval } from '../../servers/refresh-interval.ts'
import type { Sort } from '../../url/sort.ts'
import { api } from '../client.ts'
import { freshFor, pageSize, type CountsQuery, type PageQuery } from './pages.ts'

/** Which servers. */
export interface ServerSelection {
  readonly q: string
  readonly scope: Scope
  /** Only the servers in the recycle bin, instead of all others. */
  readonly isBin: boolean
}

/** Which servers, in which order, with which fields. */
export interface ServersQuery extends ServerSelection {
  readonly sort: Sort
  readonly fields: readonly string[]
}

const selectionOf = ({ q, scope, isBin }: ServerSelection) => ({
  ...(q !== '' && { q }),
  ...(isBin && { pending_delete: 'true' as const }),
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
export const fleetSizeQuery = (scope: Scope, isBin: boolean) =>
  queryOptions({
    queryKey: ['servers', 'size', scope, isBin],
    queryFn: async ({ signal }) => {
      const query = { ...selectionOf({ q: '', scope, isBin }), limit: 0 }
      return (await api.listServers({ query, signal })).total
    },
    refetchInterval: 60_000,
  })

/** How many servers match per value of some fields. `isDue`: false delays the request. */
export const countsQuery = (
  selection: ServerSelection,
  groups: readonly string[],
  isDue = true,
): CountsQuery => ({
  queryKey: ['servers', 'counts', selection, groups],
  queryFn: async ({ signal }) =>
    (
      await api.getServerStatistics({
        query: { ...selectionOf(selection), group_by: groups },
        signal,
      })
    ).groups,
  enabled: isDue && groups.length > 0,
  placeholderData: keepPreviousData,
  refetchInterval: 60_000,
})
