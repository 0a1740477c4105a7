import { largestPage } from '@muster/contract'
import { badField } from '../../domain/error.ts'
import type { ListQuery, Page } from '../../domain/identity/administration/registry.ts'

/** The parameters that say how a list is paged and sorted; all others narrow it. */
interface PagingParameters {
  readonly limit?: number
  readonly marker?: string
  readonly sort_key?: string
  readonly sort_dir?: string
}

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
      throw badField(name, `is another word for ${column}, which says something else`)
    }
    filters[column] = value
  }
  return filters
}

/** More than the largest page is clamped, and the link to the next one says so. */
export const pageSize = (limit: number | undefined) => Math.min(limit ?? largestPage, largestPage)

export function toListQuery(query: PagingParameters & object): ListQuery {
  const { limit, marker, sort_key, sort_dir, ...filters } = query
  return {
    filters: toFilters(filters),
    sortKey: sort_key ?? 'name',
    descending: sort_dir === 'desc',
    limit: pageSize(limit),
    marker,
  }
}

/** The address of the same list from another place on. */
function withMarker(url: string, marker: string): string {
  const start = url.indexOf('?')
  const [path, query] = start === -1 ? [url, ''] : [url.slice(0, start), url.slice(start + 1)]
  const kept = query.split('&').filter((pair) => pair !== '' && !/^marker(=|$)/.test(pair))
  return `${path}?${[...kept, `marker=${encodeURIComponent(marker)}`].join('&')}`
}

const nextAddress = (address: string, next: string | undefined) =>
  next === undefined ? null : withMarker(address, next)

/** The next page, in a header. */
export function nextLink(address: string, next: string | undefined) {
  const to = nextAddress(address, next)
  return to === null ? {} : { headers: { link: `<${to}>; rel="next"` } }
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
    links: { self: address, next: nextAddress(address, next), previous: null },
  },
})
