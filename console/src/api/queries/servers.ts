import type { ScopeParameter } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { addTerm } from '../../filter/edit-query.ts'
import { renderTerm } from '../../filter/terms.ts'
import type { Row } from '../../servers/row.ts'
import { refreshInterval } from '../../servers/refresh-interval.ts'
import { serversPerGroup, toServerGroups } from '../../servers/server-groups.ts'
import { statusesIn } from '../../servers/status.ts'
import type { Sort } from '../../url/sort.ts'
import { api } from '../client.ts'
import { beginRequest } from '../generation.ts'
import {
  followRows,
  freshFor,
  pageSize,
  type CountsQuery,
  type PageQuery,
  type RowsQuery,
  type SizeQuery,
} from './pages.ts'
import { statisticsInterval } from './statistics.ts'

/** Which servers. */
export interface ServerFilter {
  readonly q: string
  readonly scope: ScopeParameter
  /** Only the servers in the recycle bin, instead of all others. */
  readonly isBin: boolean
  /** As they were at this moment; undefined for now. */
  readonly asOf?: string | undefined
}

/** Which servers, in which order, with which fields. */
export interface ServersQuery extends ServerFilter {
  readonly sort: Sort
  readonly fields: readonly string[]
}

const filterOf = ({ q, scope, isBin, asOf }: ServerFilter) => ({
  ...(q !== '' && { q }),
  ...(isBin && { pending_delete: 'true' as const }),
  ...(asOf !== undefined && { as_of: asOf }),
  scope,
})

const rowsOf = ({ servers }: { readonly servers: readonly object[] }) => servers as readonly Row[]

/** One page of the list. A page is requested when the user scrolls to it. */
const serverPageQuery = (
  query: ServersQuery,
  index: number,
  limit: number = pageSize,
): PageQuery<Row> => ({
  queryKey: ['servers', 'page', query, index, limit],
  queryFn: async (context) => {
    const generation = beginRequest(context)
    const { sort, fields } = query
    const page = await api.listServers({
      query: {
        ...filterOf(query),
        order_by: sort.by,
        order: sort.order,
        details: true,
        with_meta: true,
        field: fields,
        limit,
        offset: index * limit,
      },
      signal: context.signal,
    })
    return { generation, index, total: page.total, rows: rowsOf(page) }
  },
  staleTime: freshFor,
  // Scrolling through a long list loads hundreds of pages.
  gcTime: 60_000,
  // The past does not change.
  refetchInterval: (state) =>
    query.asOf === undefined && refreshInterval(state, state.state.data?.rows ?? []),
})

/** The first servers of a group. */
export const groupServersQuery = (query: ServersQuery, term: string) =>
  serverPageQuery({ ...query, q: addTerm(query.q, term) }, 0, serversPerGroup)

/** Rows that their page no longer has: they match elsewhere, no longer match, or no longer exist. */
const serverRowsQuery = (query: ServersQuery, ids: readonly string[]): RowsQuery<Row> => ({
  queryKey: ['servers', 'rows', query, ids],
  queryFn: async (context) => {
    const generation = beginRequest(context)
    const fields = { details: true, with_meta: true, field: query.fields }
    const find = (filter: object) => async (id: readonly string[]) => {
      const page = { ...filter, ...fields, id, limit: id.length }
      return rowsOf(await api.listServers({ query: page, signal: context.signal }))
    }
    const all = { ...filterOf({ ...query, q: '', isBin: false }), pending_delete: 'all' }
    return { generation, ...(await followRows(ids, find(filterOf(query)), find(all))) }
  },
  gcTime: 0,
  refetchInterval: (state) => {
    const { matching = [], others = [] } = state.state.data ?? {}
    return query.asOf === undefined && refreshInterval(state, [...matching, ...others])
  },
})

/** How many servers there are without a filter. */
const fleetSizeQuery = (filter: ServerFilter): SizeQuery => ({
  queryKey: ['servers', 'size', filter],
  queryFn: async (context) => {
    const generation = beginRequest(context)
    const query = { ...filterOf(filter), limit: 0 }
    const { total } = await api.listServers({ query, signal: context.signal })
    return { generation, count: total }
  },
})

/** How many servers match per value of some fields. */
export const countsQuery = (filter: ServerFilter, groups: readonly string[]): CountsQuery => ({
  queryKey: ['servers', 'counts', filter, groups],
  queryFn: async (context) => {
    const generation = beginRequest(context)
    const { total, ...rest } = await api.getServerStatistics({
      query: { ...filterOf(filter), group_by: groups },
      signal: context.signal,
    })
    return { generation, total: total.count, groups: rest.groups }
  },
})

const sizeOf = ({ scope, isBin, asOf }: ServerFilter): ServerFilter => ({
  q: '',
  scope,
  isBin,
  asOf,
})

/** The requests of the list. */
export const serverQueries = (query: ServersQuery) => ({
  page: (index: number) => serverPageQuery(query, index),
  rows: (ids: readonly string[]) => serverRowsQuery(query, ids),
  size: query.q === '' ? undefined : fleetSizeQuery(sizeOf(query)),
})

/** The servers that match, by the values of a field or a tag. */
export const groupsQuery = ({ q, scope, isBin, asOf }: ServerFilter, groupBy: string) =>
  queryOptions({
    queryKey: ['servers', 'groups', q, scope, isBin, asOf, groupBy],
    queryFn: async ({ signal }) => {
      const count = (text: string) =>
        api.getServerStatistics({
          query: { ...filterOf({ q: text, scope, isBin, asOf }), group_by: [groupBy] },
          signal,
        })
      const running = addTerm(q, renderTerm('status', statusesIn.running))
      return toServerGroups(groupBy, ...(await Promise.all([count(q), count(running)])))
    },
    // The past does not change.
    refetchInterval: asOf === undefined && statisticsInterval,
  })
