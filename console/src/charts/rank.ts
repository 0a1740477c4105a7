import { renderTerm } from '../filter/terms.ts'
import { listedValues, unlistedCount, type ValueCount } from '../servers/value-counts.ts'

/** A bar with its value, count and filter. */
export interface Bar {
  readonly key: string
  /** Empty if the servers have no value. */
  readonly value: string
  readonly count: number
  /** Undefined if the query would be too long for the API. */
  readonly q: string | undefined
}

export interface Ranking {
  readonly bars: readonly Bar[]
  /** The sum of all other values; `values` is their number, if known. */
  readonly rest: { readonly bar: Bar; readonly values: number | undefined } | undefined
}

/** The longest `q` that the API accepts. */
const maxQueryLength = 2048

const withinLimit = (q: string): string | undefined => (q.length > maxQueryLength ? undefined : q)

const textOf = ({ value }: ValueCount) => (value === null ? '' : String(value))

/** The largest groups, and the rest as one. */
export function rankTop(field: string, groups: readonly ValueCount[], most: number): Ranking {
  const listed = listedValues(groups)
  const isOpen = unlistedCount(groups) !== undefined
  // Show a single remaining value instead of a rest.
  const cut = listed.length === most + 1 && !isOpen ? most + 1 : most
  const shown = listed.slice(0, cut)
  const bars = shown.map((group) => {
    const value = textOf(group)
    return {
      key: `=${value}`,
      value,
      count: group.count,
      q: withinLimit(renderTerm(field, [value])),
    }
  })
  const others = groups.slice(cut)
  if (others.length === 0) return { bars, rest: undefined }
  const bar = {
    key: 'rest',
    value: '',
    count: others.reduce((sum, { count }) => sum + count, 0),
    q: withinLimit(renderTerm(field, shown.map(textOf), true)),
  }
  return { bars, rest: { bar, values: isOpen ? undefined : others.length } }
}
