import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import {
  freshFor,
  pageSize,
  serverPageQuery,
  type ServersQuery,
} from '../../api/queries/servers.ts'
import type { Refetchable } from '../../api/query-view.ts'
import { createStablePages, type Row } from '../../servers/stable-pages.ts'

export interface ServerPages {
  readonly total: number | undefined
  readonly rowAt: (index: number) => Row | undefined
  /** How many more (or fewer) servers match by now; `showChanges` shows them. */
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

/** Loads the visible pages of the list, and keeps their rows stable. */
export function useServerPages(
  query: ServersQuery,
  inSight: { readonly first: number; readonly last: number },
): ServerPages {
  const [revision, setRevision] = useState(0)
  const [refreshedAt, setRefreshedAt] = useState(0)
  const [mergePages] = useState(() => createStablePages(freshFor))
  const first = Math.floor(inSight.first / pageSize)
  const last = Math.floor(inSight.last / pageSize)
  const indexes = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const results = useQueries({ queries: indexes.map((index) => serverPageQuery(query, index)) })

  const loaded = results.flatMap(({ data, dataUpdatedAt }) =>
    data ? [{ ...data, loadedAt: dataUpdatedAt }] : [],
  )
  const request = { query: JSON.stringify(query), revision, refreshedAt }
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
