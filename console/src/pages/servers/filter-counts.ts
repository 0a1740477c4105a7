import { countsQuery, type ServerSelection } from '../../api/queries/servers.ts'
import { valuesOf, without } from '../../filter/edit-query.ts'
import { filterKeys, findKey } from '../../filter/keys.ts'
import { listedValues, unlistedCount, type ValueCounts } from '../../servers/value-counts.ts'

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

/**
 * Each filter group is counted without its own filter, so that alternatives stay visible. Groups
 * without a filter share one request, which counts all servers that match.
 */
export function filterCountQueries({ q, scope, isBin }: ServerSelection, isShown: boolean) {
  const isActive = (name: FilterGroupName) => {
    const { wanted, unwanted } = valuesOf(q, name)
    return wanted.length + unwanted.length > 0
  }
  const plain = filterGroupNames.filter((name) => !isActive(name))
  const groups = [
    ...(plain.length === 0 ? [] : [{ text: q, names: plain }]),
    ...filterGroupNames.filter(isActive).map((name) => ({ text: without(q, name), names: [name] })),
  ]
  return {
    counts: (isShown ? groups : []).map(({ text, names }) =>
      countsQuery({ q: text, scope, isBin }, names.map(groupOf)),
    ),
    countsAll: isShown && plain.length > 0,
  }
}

/** The values of a filter group. */
export function filterCounts(
  name: FilterGroupName,
  counts: readonly (ValueCounts | undefined)[],
): FilterCounts {
  const key = groupOf(name)
  const values = counts.find((one) => one?.groups[key])?.groups[key] ?? []
  return {
    entries: listedValues(values)
      .filter(({ value }) => value !== null && value !== '')
      .map(({ value, count }) => ({ value: String(value), count })),
    others: unlistedCount(values),
  }
}
