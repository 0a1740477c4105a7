import type { ScopeParameter, ServerComparison, ServerDiffItem } from '@muster/contract'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { readGaps, type Gap } from '../../inventory/read-gaps.ts'
import { api } from '../client.ts'
import { nextMarker } from '../marker-of.ts'

const pageSize = 50
const pollInterval = 1_000

/** A moment of the past: being prepared, or ready, with the accounts that were not observed then. */
type Moment =
  | { readonly isReady: false; readonly progress: number }
  | { readonly isReady: true; readonly gaps: readonly Gap[] }

interface Pending {
  readonly moment: { readonly progress: number }
}

/** The API prepares a moment when it is asked for the first time. */
export const momentQuery = (asOf: string) =>
  queryOptions({
    queryKey: ['servers', 'moment', asOf],
    queryFn: async ({ signal }): Promise<Moment> => {
      const { status, body, headers } = await api.request('listServers', {
        query: { limit: 0, scope: 'max', as_of: asOf },
        headers: { prefer: 'respond-async, wait=1' },
        signal,
      })
      if (status !== 202) {
        return { isReady: true, gaps: readGaps(headers.get('muster-gaps')) }
      }
      const { moment } = body as unknown as Pending
      return { isReady: false, progress: moment.progress }
    },
    refetchInterval: ({ state }) => (state.data?.isReady === false ? pollInterval : false),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The time of the first change that the user can see: nothing earlier is recorded. */
export const firstChangeQuery = queryOptions({
  queryKey: ['changes', 'first'],
  queryFn: async ({ signal }) => {
    const query = { order: 'asc' as const, limit: 1, scope: 'max' as const }
    const { changes } = await api.getServerChanges({ query, signal })
    return changes[0]?.time ?? null
  },
  staleTime: Number.POSITIVE_INFINITY,
})

interface Between {
  readonly from: string
  readonly to: string | undefined
  readonly q: string
  readonly scope: ScopeParameter
}

interface DiffPage {
  readonly from: string
  readonly to: string
  readonly counts: { readonly appeared: number; readonly gone: number; readonly changed: number }
  readonly items: readonly ServerDiffItem[]
}

/** What differs between a moment and another one, or now. */
export const diffQuery = ({ from, to, q, scope }: Between) =>
  infiniteQueryOptions({
    queryKey: ['servers', 'diff', from, to, q, scope],
    queryFn: async ({ pageParam: marker, signal }) => {
      const query = { from, to, scope, limit: pageSize, marker, ...(q !== '' && { q }) }
      const { body, headers } = await api.request('getServerDiff', { query, signal })
      return {
        ...(body as DiffPage),
        gaps: readGaps(headers.get('muster-gaps')),
        next: nextMarker(headers),
      }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Servers side by side, now or at a moment. */
export const comparisonQuery = (ids: readonly string[], asOf: string | undefined) =>
  queryOptions({
    queryKey: ['servers', 'comparison', ids, asOf],
    queryFn: async ({ signal }) =>
      (await api.getServerDiff({
        query: { ids: [...ids], ...(asOf !== undefined && { as_of: asOf }) },
        signal,
      })) as ServerComparison,
  })
