import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { countsQuery, type ServerSelection } from '../../api/queries/servers.ts'
import { completeTerms, valuesOf, without } from '../../filter/edit-query.ts'
import { filterKeys, findKey } from '../../filter/keys.ts'
import { listedValues, unlistedCount } from '../../servers/value-counts.ts'

export const filterGroupNames = [
  'status',
  'provider',
  'region',
  'project',
  'account',
  'os_name',
  'os',
  'hypervisor',
] as const
export type FilterGroupName = (typeof filterGroupNames)[number]

interface FilterEntry {
  readonly value: string
  readonly count: number
}

export interface FilterCounts {
  readonly entries: readonly FilterEntry[]
  /** How many servers have values that are not listed; undefined if all are. */
  readonly others: number | undefined
}

const none: FilterCounts = { entries: [], others: undefined }
const groupOf = (name: FilterGroupName) => findKey(filterKeys, name)?.groups ?? name

/**
 * Each filter group is counted without its own filter, so that alternatives stay visible. Groups
 * without a filter share one request. `hasRows`: the rows of this query are loaded, so that counting
 * does not delay them.
 */
export function useFilterCounts(
  selection: ServerSelection,
  hasRows: boolean,
): {
  readonly counts: Readonly<Record<FilterGroupName, FilterCounts>>
  readonly isOutdated: boolean
} {
  const query = completeTerms(selection.q)
  const of = (text: string) => ({ ...selection, q: text })
  const isActive = (name: FilterGroupName) => {
    const { wanted: some, unwanted } = valuesOf(query, name)
    return some.length + unwanted.length > 0
  }
  const active = filterGroupNames.filter(isActive)
  const plain = filterGroupNames.filter((name) => !isActive(name))
  const results = useQueries({
    queries: [
      countsQuery(of(query), plain.map(groupOf), hasRows),
      ...active.map((name) => countsQuery(of(without(query, name)), [groupOf(name)], hasRows)),
    ],
  })
  // `useQueries` drops the previous data. Without this cache, filters would vanish during a request.
  const [cached] = useState(() => new Map<FilterGroupName, FilterCounts>())
  for (const name of filterGroupNames) {
    const groups = results.find(({ data }) => data?.[groupOf(name)])?.data?.[groupOf(name)]
    if (!groups) continue
    cached.set(name, {
      entries: listedValues(groups)
        .filter(({ value }) => value !== null && value !== '')
        .map(({ value, count }) => ({ value: String(value), count })),
      others: unlistedCount(groups),
    })
  }
  const counts = Object.fromEntries(
    filterGroupNames.map((name) => [name, cached.get(name) ?? none]),
  ) as Record<FilterGroupName, FilterCounts>
  const isOutdated =
    !hasRows || results.some(({ isPlaceholderData, isLoading }) => isPlaceholderData || isLoading)
  return { counts, isOutdated }
}
