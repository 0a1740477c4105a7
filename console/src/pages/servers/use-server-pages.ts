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
  /** How many more or fewer there are by now; taken in by `adopt`. */
  readonly news: number
  readonly isMoved: boolean
  readonly adopt: () => void
  /** Shown are still the rows of the query before. */
  readonly isBehind: boolean
  readonly updatedAt: number
  /** All pages as one query for the total. */
  readonly query: Refetchable<number>
  readonly refetch: () => void
}

/** The pages of the list that are in sight: loaded when they come in sight, held while they are read. */
export function useServerPages(
  query: ServersQuery,
  inSight: { readonly first: number; readonly last: number },
): ServerPages {
  const [turn, setTurn] = useState(0)
  const [refreshedAt, setRefreshedAt] = useState(0)
  const [hold] = useState(() => createStablePages(freshFor))
  const first = Math.floor(inSight.first / pageSize)
  const last = Math.floor(inSight.last / pageSize)
  const indexes = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const results = useQueries({ queries: indexes.map((index) => serverPageQuery(query, index)) })

  const loaded = results.flatMap(({ data, dataUpdatedAt }) =>
    data ? [{ ...data, loadedAt: dataUpdatedAt }] : [],
  )
  const asked = { query: JSON.stringify(query), turn, refreshedAt }
  const { held, isBehind, news, isMoved } = hold(asked, loaded)

  function refetch(): void {
    setRefreshedAt(Date.now())
    void Promise.all(results.map((result) => result.refetch()))
  }

  const failed = results.find(({ error, failureReason }) => error ?? failureReason)
  return {
    total: held?.total,
    rowAt: (index) => held?.pages.get(Math.floor(index / pageSize))?.rows[index % pageSize],
    news,
    isMoved,
    adopt: () => setTurn(turn + 1),
    isBehind,
    updatedAt: Math.max(0, ...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    query: {
      data: held?.total,
      error: failed?.error ?? null,
      failureReason: failed?.failureReason ?? null,
      isFetching: results.some(({ isFetching }) => isFetching),
      isPlaceholderData: isBehind,
      isFetchedAfterMount: results.every(({ isFetchedAfterMount }) => isFetchedAfterMount),
      refetch,
    },
    refetch,
  }
}
