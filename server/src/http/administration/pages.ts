import { maxPageSize } from '@muster/contract'
import { badField } from '../../domain/error.ts'
import { addressFrom } from '../next-link.ts'
import type { ListQuery, Page } from '../../domain/identity/administration/registry.ts'

/** Paging and sorting parameters. All other parameters are filters. */
export interface PagingParameters {
  readonly limit?: number
  readonly marker?: string
  readonly offset?: number
  readonly sort_key?: string
  readonly sort_dir?: string
}

const pagingNames = new Set([
  'limit',
  'marker',
  'offset',
  'sort_key',
  'sort_dir',
  'since',
  'before',
  'details',
  'summary_stats',
])

/** The filters of a query, without the paging parameters. */
export const withoutPaging = (query: object): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !pagingNames.has(name)))

/** Aliases of filter names. */
const filterAliases: Readonly<Record<string, string | undefined>> = {
  parent_id: 'domain_id',
  type: undefined,
}

function toFilters(parameters: object): ListQuery['filters'] {
  const filters: Record<string, string | boolean> = {}
  for (const [name, value] of Object.entries(parameters) as [string, string | boolean][]) {
    const column = Object.hasOwn(filterAliases, name) ? filterAliases[name] : name
    if (column === undefined) continue
    if (Object.hasOwn(filters, column) && filters[column] !== value) {
      throw badField(name, `is an alias of ${column}, which has another value`)
    }
    filters[column] = value
  }
  return filters
}

/** Limits the page size to the maximum. The link to the next page contains the result. */
export const pageSize = (limit: number | undefined) => Math.min(limit ?? maxPageSize, maxPageSize)

export function toListQuery(query: PagingParameters & object): ListQuery {
  const { limit, marker, offset, sort_key, sort_dir } = query
  return {
    filters: toFilters(withoutPaging(query)),
    sortKey: sort_key ?? 'name',
    descending: sort_dir === 'desc',
    limit: pageSize(limit),
    ...position(marker, offset),
  }
}

/** The start of a page: after a marker, or at an offset. */
export function position(marker: string | undefined, offset = 0) {
  if (marker !== undefined && offset > 0) {
    throw badField('offset', 'cannot be combined with marker')
  }
  return { marker, offset }
}

/**
 * The response for a page of a list. The links are only in the body, as in Keystone: the OpenStack
 * SDK fails if there is a Link header too.
 */
export const answerPage = <Item>(
  key: string,
  { items, next }: Page<Item>,
  render: (item: Item) => unknown,
  address: string,
) => ({
  status: 200,
  body: {
    [key]: items.map(render),
    links: {
      self: address,
      next: next === undefined ? null : addressFrom(address, { marker: next }),
      previous: null,
    },
  },
})

/** The response for one page of a list that is completely in memory. */
export function answerSlice(
  key: string,
  items: readonly unknown[],
  { limit, offset = 0 }: PagingParameters,
  address: string,
) {
  const end = offset + pageSize(limit)
  const next = end < items.length ? addressFrom(address, { offset: end }) : null
  return {
    status: 200,
    body: { [key]: items.slice(offset, end), links: { self: address, next, previous: null } },
  }
}
