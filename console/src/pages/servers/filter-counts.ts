import { countsQuery, type ServerFilter } from '../../api/queries/servers.ts'
import { valuesOf, without } from '../../filter/edit-query.ts'
import { filterKeys, findKey } from '../../filter/keys.ts'
import { countsAgree } from '../../servers/counts-agree.ts'
import {
  listedValues,
  unlistedCount,
  valuesIn,
  type FilterValueCounts,
} from '../../servers/value-counts.ts'
import type { Row } from '../../servers/row.ts'

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

const groupOf = (name: FilterGroupName) => findKey(filterKeys, name)?.groups ?? name

/** The requests for the values of all filter groups. */
export function filterCountQueries({ q, scope, isBin, asOf }: ServerFilter, isShown: boolean) {
  const isActive = (name: FilterGroupName) => {
    const { wanted, unwanted } = valuesOf(q, name)
    return wanted.length + unwanted.length > 0
  }
  const groups = [
    { text: q, names: filterGroupNames },
    ...filterGroupNames.filter(isActive).map((name) => ({ text: without(q, name), names: [name] })),
  ]
  return {
    counts: (isShown ? groups : []).map(({ text, names }) =>
      countsQuery({ q: text, scope, isBin, asOf }, names.map(groupOf)),
    ),
    agree: (counts: FilterValueCounts, total: number, rows: readonly Row[]) =>
      countsAgree(q, counts, total, rows),
  }
}

/** The values of a filter group. */
export function filterCounts(name: FilterGroupName, counts: FilterValueCounts): FilterCounts {
  const values = valuesIn(counts, groupOf(name))
  return {
    entries: listedValues(values)
      .filter(({ value }) => value !== null && value !== '')
      .map(({ value, count }) => ({ value: String(value), count })),
    others: unlistedCount(values),
  }
}
