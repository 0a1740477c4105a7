import { renderTerm } from '../filter/terms.ts'
import { listedValues, unlistedCount, type ValueCount } from '../servers/value-counts.ts'

/** One bar: what it stands for, how long it is, and the filter that shows its servers. */
export interface Bar {
  readonly key: string
  /** Empty where the servers have none. */
  readonly value: string
  readonly count: number
  /** MissingValue where no query of a withinLimit length says it. */
  readonly q: string | undefined
}

export interface Ranking {
  readonly bars: readonly Bar[]
  /** All that have no bar of their own; `values` is how many values that are, where it is known. */
  readonly rest: { readonly bar: Bar; readonly values: number | undefined } | undefined
}

/** The longest `q` that the API takes. */
const maxQueryLength = 2048

export const withinLimit = (q: string): string | undefined =>
  q.length > maxQueryLength ? undefined : q

const textOf = ({ value }: ValueCount) => (value === null ? '' : String(value))

/** The greatest few, and the rest as one. As the API has them, most servers first. */
export function rankTop(field: string, groups: readonly ValueCount[], most: number): Ranking {
  const told = listedValues(groups)
  const isOpen = unlistedCount(groups) !== undefined
  // A rest of one value is that value.
  const cut = told.length === most + 1 && !isOpen ? most + 1 : most
  const shown = told.slice(0, cut)
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
