import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { countsQuery } from '../../api/queries/servers.ts'
import { finished, valuesOf, without } from '../../filter/edit-query.ts'
import { findKey } from '../../filter/keys.ts'
import { toldValues, untoldCount } from '../../servers/counted-values.ts'
import type { Scope } from '../../servers/list-state.ts'
import { useDebounced } from '../../ui/use-debounced.ts'

export const facetNames = [
  'status',
  'provider',
  'region',
  'project',
  'account',
  'os',
  'hypervisor',
] as const
export type FacetName = (typeof facetNames)[number]

interface FacetEntry {
  readonly value: string
  readonly count: number
}

export interface FacetCounts {
  readonly entries: readonly FacetEntry[]
  /** How many servers have values that are not told; undefined where all are. */
  readonly others: number | undefined
}

const none: FacetCounts = { entries: [], others: undefined }
const groupOf = (name: FacetName) => findKey(name)?.groups ?? name

/**
 * A facet counts under everything but its own filter, so that the alternatives stay in sight. Those
 * without a filter of their own are counted together, in one question. `hasRows`: the rows of this
 * query are there, so that counting them holds up none.
 */
export function useFacetCounts(
  q: string,
  scope: Scope,
  hasRows: boolean,
): Readonly<Record<FacetName, FacetCounts>> {
  const wanted = finished(q)
  // Rows follow every keystroke; counts can wait until the typing pauses.
  const query = useDebounced(wanted, 250)
  const isDue = hasRows && query === wanted
  const isActive = (name: FacetName) => {
    const { wanted: some, unwanted } = valuesOf(query, name)
    return some.length + unwanted.length > 0
  }
  const active = facetNames.filter(isActive)
  const plain = facetNames.filter((name) => !isActive(name))
  const results = useQueries({
    queries: [
      countsQuery(query, scope, plain.map(groupOf), isDue),
      ...active.map((name) => countsQuery(without(query, name), scope, [groupOf(name)], isDue)),
    ],
  })
  // Several queries at once forget those before them: facets would vanish while they are counted.
  const [kept] = useState(() => new Map<FacetName, FacetCounts>())
  for (const name of facetNames) {
    const groups = results.find(({ data }) => data?.[groupOf(name)])?.data?.[groupOf(name)]
    if (!groups) continue
    kept.set(name, {
      entries: toldValues(groups)
        .filter(({ value }) => value !== null && value !== '')
        .map(({ value, count }) => ({ value: String(value), count })),
      others: untoldCount(groups),
    })
  }
  return Object.fromEntries(facetNames.map((name) => [name, kept.get(name) ?? none])) as Record<
    FacetName,
    FacetCounts
  >
}
