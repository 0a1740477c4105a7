import type { ChangeGroup, ChangeKind, ScopeParameter, ServerChange } from '@muster/contract'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { statusesIn, type StatusGroup } from '../../servers/status.ts'
import { api } from '../client.ts'
import { nextMarker } from '../marker-of.ts'
import { statisticsInterval } from './statistics.ts'

const pageSize = 50

/** Which changes. Times as the API takes them: a timestamp, or `-7d`. */
export interface ChangeFilter {
  readonly q: string
  readonly scope: ScopeParameter
  readonly kinds: readonly ChangeKind[]
  /** Changes to a status of this group. */
  readonly newStatus: StatusGroup | undefined
  readonly since: string
  readonly until: string | undefined
}

/** The query of all operations on changes. */
export const toChangeQuery = ({ q, scope, kinds, newStatus, since, until }: ChangeFilter) => ({
  ...(q !== '' && { q }),
  ...(kinds.length > 0 && { kind: kinds }),
  ...(newStatus && { new_status: statusesIn[newStatus] }),
  ...(until !== undefined && { until }),
  scope,
  since,
})

const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** How many changes there were by one or two criteria. Days are those of the user's time zone. */
export const changeCountsQuery = (
  filter: ChangeFilter,
  groups: readonly ChangeGroup[],
  isPolled: boolean,
) =>
  queryOptions({
    queryKey: ['changes', 'counts', filter, groups],
    queryFn: ({ signal }) =>
      api.getServerChangeStatistics({
        query: { ...toChangeQuery(filter), group_by: groups, time_zone: timeZone() },
        signal,
      }),
    placeholderData: keepPreviousData,
    // Counting takes seconds if there are more changes than the API counts.
    refetchInterval: ({ state }) =>
      isPolled && state.data?.is_complete !== false && statisticsInterval,
  })

/** A rare filter can have pages without a change. So many are requested at a time. */
const mostEmptyPages = 10

/** The changes of a project, newest first, page by page. Not polled, so that rows do not move. */
export const projectChangesQuery = (filter: ChangeFilter, projectId: string) =>
  infiniteQueryOptions({
    queryKey: ['changes', 'list', filter, projectId],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...toChangeQuery(filter), project_id: projectId, limit: pageSize }
      const changes: ServerChange[] = []
      let marker = pageParam
      for (let pages = 0; pages < mostEmptyPages; pages += 1) {
        const page = { ...query, marker }
        const { body, headers } = await api.request('getServerChanges', { query: page, signal })
        // A server that left the project matches too. Its change counts for the project that it is in now.
        changes.push(...body.changes.filter(({ project_id }) => project_id === projectId))
        marker = nextMarker(headers)
        if (changes.length > 0 || marker === undefined) break
      }
      return { changes, next: marker }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    refetchOnReconnect: false,
  })
