import { hasSeveralTerms, valuesOf } from '../filter/edit-query.ts'
import { filterKeys, type FilterKey } from '../filter/keys.ts'
import {
  listedValues,
  unlistedCount,
  type FilterValueCounts,
  type ValueCount,
} from './value-counts.ts'

/** Unknown values are not shown. */
const countsOf = (values: readonly ValueCount[]) =>
  new Map(
    listedValues(values)
      .filter(({ value }) => value !== null && value !== '')
      .map(({ value, count }) => [String(value), count]),
  )

/** Which values of a group the query includes; undefined if it does not have only their exact names. */
function includedBy(q: string, group: string, names: Iterable<string>) {
  const keys: readonly FilterKey[] = filterKeys
  const field = keys.find(({ groups }) => groups === group)?.name ?? group
  const { wanted, unwanted } = valuesOf(q, field)
  const known = new Set(names)
  // The API knows ids, `*` and, for some fields, names in other case.
  if (hasSeveralTerms(q, field) || ![...wanted, ...unwanted].every((value) => known.has(value))) {
    return undefined
  }
  return (name: string) =>
    (wanted.length === 0 || wanted.includes(name)) && !unwanted.includes(name)
}

/** Whether the counts of a group with and without its own filter are consistent. */
function isSameGroup(
  q: string,
  group: string,
  matching: readonly ValueCount[],
  all: readonly ValueCount[],
): boolean {
  const [some, every] = [countsOf(matching), countsOf(all)]
  const isIncluded = includedBy(q, group, every.keys())
  return (
    (unlistedCount(all) !== undefined || [...some.keys()].every((value) => every.has(value))) &&
    [...every].every(([value, count]) => {
      const matches = some.get(value)
      if (!isIncluded) return (matches ?? 0) <= count
      if (matches !== undefined) return matches === count
      return unlistedCount(matching) !== undefined || !isIncluded(value)
    })
  )
}

/** Whether the counts, the total and the loaded rows of a query are consistent. */
export function countsAgree(
  q: string,
  [first, ...others]: FilterValueCounts,
  total: number,
  rows: readonly { readonly status?: string }[],
): boolean {
  if (!first) return true
  const counted = countsOf(first.groups['status'] ?? [])
  const statuses = Map.groupBy(rows, ({ status = '' }) => status)
  return (
    first.total === total &&
    [...statuses].every(
      ([status, { length }]) => status === '' || length <= (counted.get(status) ?? 0),
    ) &&
    others.every((other) =>
      Object.entries(other?.groups ?? {}).every(([group, all]) =>
        isSameGroup(q, group, first.groups[group] ?? [], all),
      ),
    )
  )
}
