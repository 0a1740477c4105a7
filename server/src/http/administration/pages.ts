import { maxPageSize } from '@muster/contract'
import { badField } from '../../domain/error.ts'
import { addressFrom } from '../next-link.ts'
import type { ListQuery, Page } from '../../domain/identity/administration/registry.ts'

/** The parameters that say how a list is paged and sorted; all others narrow it. */
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

/** What narrows a list, without what says which part of it is wanted. */
export const withoutPaging = (query: object): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !pagingNames.has(name)))

/** Another word for a field, and one that every item answers alike. */
const otherWords: Readonly<Record<string, string | undefined>> = {
  parent_id: 'domain_id',
  type: undefined,
}

function toFilters(parameters: object): ListQuery['filters'] {
  const filters: Record<string, string | boolean> = {}
  for (const [name, value] of Object.entries(parameters) as [string, string | boolean][]) {
    const column = Object.hasOwn(otherWords, name) ? otherWords[name] : name
    if (column === undefined) continue
    if (Object.hasOwn(filters, column) && filters[column] !== value) {
      throw badField(name, `is an alias of ${column}, which has another value`)
    }
    filters[column] = value
  }
  return filters
}

/** More than the largest page is clamped, and the link to the next one says so. */
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

/** Where a page begins: behind a marker, or so many from the start. */
export function position(marker: string | undefined, offset = 0) {
  if (marker !== undefined && offset > 0) {
    throw badField('offset', 'cannot be combined with marker')
  }
  return { marker, offset }
}

/**
 * A page of a list as an answer. The links are in the body, as Keystone has them, and not in a
 * header too: OpenStack's SDK trips over that.
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

/** One page of a list that is in memory as a whole, as an answer. */
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
