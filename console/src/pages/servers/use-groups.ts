import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { groupServersQuery, groupsQuery, type ServersQuery } from '../../api/queries/servers.ts'
import { addTerm } from '../../filter/edit-query.ts'
import type { ListPages } from '../../inventory/use-pages.ts'
import type { ListState } from '../../servers/list-state.ts'
import type { Row } from '../../servers/row.ts'
import { groupRows, type GroupRow, type ServerGroup } from '../../servers/server-groups.ts'
import type { ChangeList } from './use-list-state.ts'

interface Counted {
  readonly groupBy: string | undefined
  readonly groups: readonly ServerGroup[]
}

/** The groups of the list, with the first servers of those that are open. */
export function useGroups(query: ServersQuery, state: ListState, change: ChangeList) {
  const { q } = query
  const { groupBy, openGroups } = state
  const groups = useQuery({
    ...groupsQuery(query, groupBy ?? ''),
    enabled: groupBy !== undefined,
  })
  // The groups of the previous filter stay until those of this one are counted.
  const [last, setLast] = useState<Counted>()
  if (groups.data && groups.data !== last?.groups) setLast({ groupBy, groups: groups.data })
  const isOutdated = groups.data === undefined
  const shown = groups.data ?? (last?.groupBy === groupBy ? last?.groups : undefined)
  const opened = (shown ?? []).flatMap(({ term }) =>
    term !== undefined && openGroups.includes(term) ? [term] : [],
  )
  const servers = useQueries({ queries: opened.map((term) => groupServersQuery(query, term)) })
  const loaded = new Map(opened.map((term, at) => [term, servers[at]?.data?.rows]))
  const rows = shown && groupRows(shown, loaded)
  const parts = [groups, ...servers]

  function refetch(): void {
    for (const part of parts) void part.refetch()
  }

  function withRows(pages: ListPages<Row>): ListPages<Row> {
    const failed = parts.find(({ error, failureReason }) => error ?? failureReason)
    return {
      ...pages,
      rowCount: rows?.length,
      rowAt: (index) => rows?.[index],
      rowState: () => undefined,
      // Groups are counted again, so nothing waits to be shown.
      difference: 0,
      isReordered: false,
      isOutdated: pages.isOutdated || isOutdated,
      query: {
        data: rows?.length,
        error: failed?.error ?? null,
        failureReason: failed?.failureReason ?? null,
        isFetching: parts.some(({ isFetching }) => isFetching),
        isPlaceholderData: isOutdated,
        isFetchedAfterMount: groups.isFetchedAfterMount,
        refetch,
      },
      refetch() {
        pages.refetch()
        refetch()
      },
    }
  }

  /** Opens or closes a group, or shows all of its servers. */
  function openGroup({ group: { term }, isRest, isOpen }: GroupRow): void {
    if (term === undefined) return
    if (isRest) return change({ q: addTerm(q, term), groupBy: undefined, openGroups: [] })
    const others = openGroups.filter((other) => other !== term)
    change({ openGroups: isOpen ? others : [...others, term] }, { replace: true })
  }

  return { withRows: groupBy === undefined ? undefined : withRows, openGroup }
}
