import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { freshFor, pageSize, type PageQuery } from '../api/queries/pages.ts'
import type { Refetchable } from '../api/query-view.ts'
import { createStablePages, type ListItem } from './stable-pages.ts'

export interface ListPages<Item extends ListItem> {
  readonly total: number | undefined
  readonly rowAt: (index: number) => Item | undefined
  /** How many more (or fewer) items match by now; `showChanges` shows them. */
  readonly difference: number
  readonly isReordered: boolean
  readonly showChanges: () => void
  /** The rows on the screen still answer the previous query. */
  readonly isOutdated: boolean
  readonly updatedAt: number
  /** All pages as one query for the total. */
  readonly query: Refetchable<number>
  readonly refetch: () => void
}

interface Range {
  readonly first: number
  readonly last: number
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

/** Loads the visible pages of a list, and keeps their rows stable. `query` identifies the list. */
export function usePages<Item extends ListItem>(
  query: string,
  pageQuery: (index: number) => PageQuery<Item>,
  visible: Range,
): ListPages<Item> {
  const [revision, setRevision] = useState(0)
  const [refreshedAt, setRefreshedAt] = useState(0)
  const [mergePages] = useState(() => createStablePages<Item>(freshFor))
  const first = Math.floor(visible.first / pageSize)
  const last = Math.floor(visible.last / pageSize)
  const indexes = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const results = useQueries({ queries: indexes.map((index) => pageQuery(index)) })

  const loaded = results.flatMap(({ data, dataUpdatedAt }) =>
    data ? [{ ...data, loadedAt: dataUpdatedAt }] : [],
  )
  const request = { query, revision, refreshedAt }
  const { shown, isOutdated, difference, isReordered } = mergePages(request, loaded)

  function refetch(): void {
    setRefreshedAt(Date.now())
    void Promise.all(results.map((result) => result.refetch()))
  }

  const failed = results.find(({ error, failureReason }) => error ?? failureReason)
  return {
    total: shown?.total,
    rowAt: (index) => shown?.pages.get(Math.floor(index / pageSize))?.rows[index % pageSize],
    difference,
    isReordered,
    showChanges: () => setRevision(revision + 1),
    isOutdated,
    updatedAt: Math.max(0, ...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    query: {
      data: shown?.total,
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
