import type { Resource, ScopeParameter } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { countValues } from '../../servers/value-counts.ts'
import type { ResourceRow } from '../../inventory/resource-row.ts'
import type { Sort } from '../../url/sort.ts'
import { api, maxPageSize } from '../client.ts'
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

const pollInterval = 60_000

interface Input {
  readonly parameters?: { readonly id: string }
  readonly query?: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

/** The operations are looked up by resource, without their own types. */
const call = api as unknown as Readonly<
  Record<string, (input: Input) => Promise<Readonly<Record<string, unknown>>>>
>

interface ResourceFilter {
  readonly q: string
  readonly scope: ScopeParameter
  /** As they were at this moment; undefined for now. */
  readonly asOf?: string | undefined
}

async function list(
  { keys, nouns }: Resource,
  { q, scope, asOf }: ResourceFilter,
  query: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) {
  const body = await call[`list${nouns}`]?.({
    query: { ...query, ...(q !== '' && { q }), ...(asOf !== undefined && { as_of: asOf }), scope },
    signal,
  })
  return { rows: body?.[keys] as readonly ResourceRow[], total: Number(body?.['total']) }
}

/** Which items, in which order, with which fields. */
export interface ResourcesQuery extends ResourceFilter {
  readonly sort: Sort
  readonly fields: readonly string[]
}

const resourcePageQuery = (
  resource: Resource,
  query: ResourcesQuery,
  index: number,
): PageQuery<ResourceRow> => ({
  queryKey: [resource.keys, 'page', query, index],
  queryFn: async (context) => {
    const generation = beginRequest(context)
    const { sort, fields } = query
    const page = {
      order_by: sort.by,
      order: sort.order,
      field: fields,
      limit: pageSize,
      offset: index * pageSize,
    }
    return { generation, index, ...(await list(resource, query, page, context.signal)) }
  },
  staleTime: freshFor,
  refetchInterval: query.asOf === undefined && pollInterval,
})

const resourceRowsQuery = (
  resource: Resource,
  query: ResourcesQuery,
  ids: readonly string[],
): RowsQuery<ResourceRow> => ({
  queryKey: [resource.keys, 'rows', query, ids],
  queryFn: async (context) => {
    const generation = beginRequest(context)
    const find = (q: string) => async (id: readonly string[]) => {
      const page = { id, field: query.fields, limit: id.length }
      return (await list(resource, { ...query, q }, page, context.signal)).rows
    }
    return { generation, ...(await followRows(ids, find(query.q), find(''))) }
  },
  gcTime: 0,
})

/** How many there are without a filter. */
const resourceCountQuery = (resource: Resource, { scope, asOf }: ResourceFilter): SizeQuery => ({
  queryKey: [resource.keys, 'count', scope, asOf],
  queryFn: async (context) => {
    const generation = beginRequest(context)
    const { total } = await list(resource, { q: '', scope, asOf }, { limit: 0 }, context.signal)
    return { generation, count: total }
  },
})

/** The requests of the list. */
export const resourceQueries = (resource: Resource, query: ResourcesQuery) => ({
  page: (index: number) => resourcePageQuery(resource, query, index),
  rows: (ids: readonly string[]) => resourceRowsQuery(resource, query, ids),
  size: query.q === '' ? undefined : resourceCountQuery(resource, query),
  counts: [],
  agree: () => true,
})

/** The values of fields. The API has statistics of servers only, so they are counted here. */
export const resourceValuesQuery = (
  resource: Resource,
  filter: ResourceFilter,
  fields: readonly string[],
): CountsQuery => ({
  queryKey: [resource.keys, 'values', filter, fields],
  queryFn: async (context) => {
    const generation = beginRequest(context)
    const page = { field: ['id', ...fields], limit: maxPageSize }
    const { rows, total } = await list(resource, filter, page, context.signal)
    const groups = Object.fromEntries(fields.map((field) => [field, countValues(rows, field)]))
    return { generation, total, groups }
  },
  staleTime: pollInterval,
})

export const resourceQuery = ({ key, keys, noun }: Resource, id: string, asOf?: string) =>
  queryOptions({
    queryKey: [keys, 'one', id, asOf],
    queryFn: async ({ signal }) => {
      const query = asOf === undefined ? {} : { as_of: asOf }
      const body = await call[`get${noun}`]?.({ parameters: { id }, query, signal })
      return body?.[key] as ResourceRow
    },
    refetchInterval: asOf === undefined && pollInterval,
  })
