import type { Resource } from '@muster/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { countValues } from '../../inventory/count-values.ts'
import type { Scope } from '../../inventory/list-state.ts'
import type { ResourceRow } from '../../inventory/resource-row.ts'
import type { Sort } from '../../url/sort.ts'
import { api, maxPageSize } from '../client.ts'
import { freshFor, pageSize, type CountsQuery, type PageQuery } from './pages.ts'

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

interface ResourceSelection {
  readonly q: string
  readonly scope: Scope
}

async function list(
  { keys, nouns }: Resource,
  { q, scope }: ResourceSelection,
  query: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) {
  const body = await call[`list${nouns}`]?.({
    query: { ...query, ...(q !== '' && { q }), scope },
    signal,
  })
  return { rows: body?.[keys] as readonly ResourceRow[], total: Number(body?.['total']) }
}

/** Which items, in which order, with which fields. */
export interface ResourcesQuery extends ResourceSelection {
  readonly sort: Sort
  readonly fields: readonly string[]
}

export const resourcePageQuery = (
  resource: Resource,
  query: ResourcesQuery,
  index: number,
): PageQuery<ResourceRow> => ({
  queryKey: [resource.keys, 'page', query, index],
  queryFn: async ({ signal }) => {
    const { sort, fields } = query
    const page = {
      order_by: sort.by,
      order: sort.order,
      field: fields,
      limit: pageSize,
      offset: index * pageSize,
    }
    return { index, ...(await list(resource, query, page, signal)) }
  },
  staleTime: freshFor,
  refetchInterval: pollInterval,
})

/** How many there are without a filter. */
export const resourceCountQuery = (resource: Resource, scope: Scope) =>
  queryOptions({
    queryKey: [resource.keys, 'count', scope],
    queryFn: async ({ signal }) =>
      (await list(resource, { q: '', scope }, { limit: 0 }, signal)).total,
    refetchInterval: pollInterval,
  })

/** The values of fields. The API has statistics of servers only, so they are counted here. */
export const resourceValuesQuery = (
  resource: Resource,
  selection: ResourceSelection,
  fields: readonly string[],
): CountsQuery => ({
  queryKey: [resource.keys, 'values', selection, fields],
  queryFn: async ({ signal }) => {
    const page = { field: ['id', ...fields], limit: maxPageSize }
    const { rows } = await list(resource, selection, page, signal)
    return Object.fromEntries(fields.map((field) => [field, countValues(rows, field)]))
  },
  enabled: fields.length > 0,
  placeholderData: keepPreviousData,
  staleTime: pollInterval,
})

export const resourceQuery = ({ key, keys, noun }: Resource, id: string) =>
  queryOptions({
    queryKey: [keys, 'one', id],
    queryFn: async ({ signal }) => {
      const body = await call[`get${noun}`]?.({ parameters: { id }, signal })
      return body?.[key] as ResourceRow
    },
    refetchInterval: pollInterval,
  })
