import type { UseQueryOptions } from '@tanstack/react-query'
import type { ValueCount } from '../../servers/value-counts.ts'
import type { ListItem, LoadedPage } from '../../inventory/stable-pages.ts'

export const pageSize = 100
/** A page counts as just loaded for this long, in milliseconds. */
export const freshFor = 2_000

/** The request for one page of a list. */
export type PageQuery<Item extends ListItem> = UseQueryOptions<LoadedPage<Item>>

/** The request for the values of some fields, with the number of items of each. */
export type CountsQuery = UseQueryOptions<Readonly<Record<string, readonly ValueCount[]>>>
