import type { UseQueryOptions } from '@tanstack/react-query'
import type { FollowedRows } from '../../inventory/settle-list.ts'
import type { ListItem, LoadedPage } from '../../inventory/stable-pages.ts'
import type { ValueCounts } from '../../servers/value-counts.ts'
import type { Generated } from '../generation.ts'

export const pageSize = 100
/** A page counts as just loaded for this long, in milliseconds. */
export const freshFor = 2_000

/** The request for one page of a list. */
export type PageQuery<Item extends ListItem> = UseQueryOptions<LoadedPage<Item>>

/** The request for single rows, whether they match or not. */
export type RowsQuery<Item extends ListItem> = UseQueryOptions<FollowedRows<Item>>

/** Finds rows by id among those that match, and the rest of them among all. */
export async function followRows<Item extends ListItem>(
  ids: readonly string[],
  findMatching: (ids: readonly string[]) => Promise<readonly Item[]>,
  findAny: (ids: readonly string[]) => Promise<readonly Item[]>,
): Promise<Omit<FollowedRows<Item>, 'generation'>> {
  const matching = await findMatching(ids)
  const rest = ids.filter((id) => !matching.some((row) => row.id === id))
  return { ids, matching, others: rest.length === 0 ? [] : await findAny(rest) }
}

/** The request for the number of items without a filter. */
export type SizeQuery = UseQueryOptions<Generated & { readonly count: number }>

/** The request for the values of some fields, with the number of items of each. */
export type CountsQuery = UseQueryOptions<ValueCounts>
