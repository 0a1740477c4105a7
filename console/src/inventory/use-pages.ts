import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { newestGeneration } from '../api/generation.ts'
import {
  freshFor,
  pageSize,
  type CountsQuery,
  type PageQuery,
  type RowsQuery,
  type SizeQuery,
} from '../api/queries/pages.ts'
import type { Refetchable } from '../api/query-result.ts'
import type { FilterValueCounts } from '../servers/value-counts.ts'
import { createSettledList, missingRows, type RowState } from './settle-list.ts'
import { createStablePages, rowsIn, type ListItem, type Range } from './stable-pages.ts'
import { useAsOf } from './use-as-of.ts'

export interface ListPages<Item extends ListItem> {
  /** The number of rows in the table. */
  readonly rowCount: number | undefined
  /** How many items match. */
  readonly count: number | undefined
  /** How many there are without the filter, if there is one. */
  readonly size: number | undefined
  /** The values of the filters. */
  readonly counts: FilterValueCounts
  /** The values of the filters are those of the previous query, unlike the rows. */
  readonly hasOtherCounts: boolean
  /** The numbers are being read again, and may be inconsistent. */
  readonly isUpdating: boolean
  readonly rowAt: (index: number) => Item | undefined
  /** Why a row is still shown although it no longer matches. */
  readonly rowState: (id: string) => RowState | undefined
  /** How many more (or fewer) items match by now; `showChanges` shows them. */
  readonly difference: number
  readonly isReordered: boolean
  readonly showChanges: () => void
  /** The rows on the screen still answer the previous query. */
  readonly isOutdated: boolean
  readonly updatedAt: number
  /** All pages as one query for the number of rows. */
  readonly query: Refetchable<number>
  readonly refetch: () => void
}

/** The requests of a list. */
export interface ListQueries<Item extends ListItem> {
  readonly page: (index: number) => PageQuery<Item>
  /** For rows that their page no longer has. */
  readonly rows: (ids: readonly string[]) => RowsQuery<Item>
  /** For the number without a filter; undefined if there is no filter. */
  readonly size: SizeQuery | undefined
  /** For the values of the filters. */
  readonly counts: readonly CountsQuery[]
  /** Whether the counts are consistent with a total and some rows. */
  readonly agree: (counts: FilterValueCounts, total: number, rows: readonly Item[]) => boolean
}

/** The visible rows. A new list starts at the top, wherever the previous one was scrolled to. */
export function useVisibleRange(listKey: string) {
  const [range, setRange] = useState<Range>({ first: 0, last: 0 })
  const [rangeOf, setRangeOf] = useState(listKey)
  if (rangeOf !== listKey) {
    setRangeOf(listKey)
    setRange(({ first, last }) => ({ first: 0, last: last - first }))
  }
  return [range, setRange] as const
}

/** Responses that contradict each other are requested again after so many milliseconds. */
const retryAfter = 1_000

interface Part {
  readonly data: { readonly generation: number } | undefined
  readonly error: unknown
  readonly isFetching: boolean
  readonly refetch: (options?: { readonly cancelRefetch: boolean }) => unknown
}

/** Requests all parts of a list together: when one of them is requested, or if they contradict. */
function useGenerations(parts: readonly Part[], isRetrying: boolean): void {
  const newest = newestGeneration()
  const behind = parts.filter(
    (part) => (part.data?.generation ?? newest) < newest && !part.isFetching,
  )
  // Once per generation: a request that fails is not repeated at once.
  useEffect(() => {
    for (const { refetch } of behind) void refetch({ cancelRefetch: false })
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [newest])
  // A page that comes into view may have an older response.
  const older = behind.filter(({ error }) => error === null)
  useEffect(() => {
    for (const { refetch } of older) void refetch({ cancelRefetch: false })
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [older.length])
  useEffect(() => {
    if (!isRetrying) return
    const timer = setTimeout(() => {
      for (const { refetch } of parts) void refetch()
    }, retryAfter)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [newest, isRetrying])
}

const createLists = <Item extends ListItem>() => ({
  mergePages: createStablePages<Item>({ pageSize, freshFor }),
  settle: createSettledList<Item>(),
})

/** Loads the visible pages of a list, and keeps their rows stable. `query` identifies the list. */
export function usePages<Item extends ListItem>(
  query: string,
  queries: ListQueries<Item>,
  visible: Range,
): ListPages<Item> {
  const [revision, setRevision] = useState(0)
  const [refreshedAt, setRefreshedAt] = useState(0)
  // Rows and numbers of one moment are never shown under another one.
  const asOf = useAsOf()
  const [of, setOf] = useState({ asOf, ...createLists<Item>() })
  if (of.asOf !== asOf) setOf({ asOf, ...createLists<Item>() })
  const { mergePages, settle } = of
  const first = Math.floor(visible.first / pageSize)
  const last = Math.floor(visible.last / pageSize)
  const indexes = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const results = useQueries({ queries: indexes.map((index) => queries.page(index)) })

  const loaded = results.flatMap(({ data, dataUpdatedAt }) =>
    data ? [{ ...data, loadedAt: dataUpdatedAt }] : [],
  )
  const request = { query, revision, refreshedAt }
  const { shown, isOutdated, isReordered } = mergePages(request, loaded)
  const rows = shown && !isOutdated ? rowsIn(shown, visible, pageSize) : []
  const missing = missingRows(loaded, rows)

  const followed = useQuery({ ...queries.rows(missing), enabled: missing.length > 0 })
  const sizes = useQueries({ queries: [queries.size ?? []].flat() })
  const counts = useQueries({
    // Counting does not delay the rows.
    queries: queries.counts.map((counts) => ({ ...counts, enabled: loaded.length > 0 })),
  })
  const parts = [...results, ...sizes, ...counts, ...(missing.length > 0 ? [followed] : [])]
  const newest = newestGeneration()
  const settled = settle({
    key: shown?.key ?? '',
    pages: loaded,
    visible: rows,
    isAnswered: parts.every(({ data, error }) => error ?? data?.generation === newest),
    isComplete: parts.every(({ data }) => data?.generation === newest),
    followed: followed.data,
    size: sizes[0]?.data?.count,
    counts: counts.map(({ data }) => data),
    agree: queries.agree,
  })
  const isUpdating = isOutdated || settled?.isUpdating !== false
  useGenerations(parts, settled?.isRetrying === true)

  function refetch(): void {
    setRefreshedAt(Date.now())
    void Promise.all(results.map((result) => result.refetch()))
  }

  const failed = results.find(({ error, failureReason }) => error ?? failureReason)
  return {
    rowCount: shown?.rowCount,
    count: settled?.count,
    size: settled?.size,
    counts: settled?.counts ?? [],
    hasOtherCounts: settled?.countsKey !== settled?.key,
    isUpdating,
    rowAt(index) {
      const row = shown?.pages.get(Math.floor(index / pageSize))?.rows[index % pageSize]
      return (row && settled?.followed.get(row.id)?.row) ?? row
    },
    rowState: (id) => settled?.followed.get(id)?.state,
    difference: shown && settled && !isOutdated ? settled.count - shown.total : 0,
    isReordered,
    showChanges: () => setRevision(revision + 1),
    isOutdated,
    updatedAt: Math.max(0, ...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    query: {
      data: shown?.rowCount,
      error: failed?.error ?? null,
      failureReason: failed?.failureReason ?? null,
      isFetching: results.some(({ isFetching }) => isFetching),
      isPlaceholderData: isOutdated,
      isFetchedAfterMount: results.every(({ isFetchedAfterMount }) => isFetchedAfterMount),
      refetch,
    },
    refetch,
  }
}
