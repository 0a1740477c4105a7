import type { Group } from '../../api/queries/statistics.ts'
import { mainStatuses, type MainStatus } from '../../charts/main-statuses.ts'
import { withinLimit, rankTop } from '../../charts/rank.ts'
import { renderTerm } from '../../filter/terms.ts'

export type Kind = MainStatus | 'other'
export const kinds: readonly Kind[] = [...mainStatuses, 'other']

export type ProviderCounts = Readonly<Record<'all' | MainStatus, readonly Group[]>>

export interface ProviderRow {
  readonly key: string
  readonly value: string
  /** How many values are summed up in it, or undefined where nobody knows; 1 where it is a provider's. */
  readonly values: number | undefined
  readonly count: number
  readonly q: string | undefined
  readonly parts: readonly {
    readonly kind: Kind
    readonly count: number
    readonly q: string | undefined
  }[]
}

const statusTerm = (kind: Kind) =>
  kind === 'other' ? renderTerm('status', mainStatuses, true) : renderTerm('status', [kind])

const sumOf = (groups: readonly Group[]) => groups.reduce((sum, { count }) => sum + count, 0)

/** Each provider's servers by status; counted one status after the other, so never below nothing. */
export function toProviderRows(counts: ProviderCounts, most: number): ProviderRow[] {
  const { bars, rest } = rankTop('provider', counts.all, most)
  const shown = new Set(bars.map(({ value }) => value))

  function partsOf(all: number, isIts: (group: Group) => boolean, q: string | undefined) {
    const main = mainStatuses.map((kind) => ({ kind, count: sumOf(counts[kind].filter(isIts)) }))
    const known = main.reduce((sum, { count }) => sum + count, 0)
    const parts = [...main, { kind: 'other' as const, count: Math.max(0, all - known) }]
    return parts.map(({ kind, count }) => ({
      kind,
      count,
      q: q === undefined ? undefined : withinLimit(`${q} ${statusTerm(kind)}`),
    }))
  }

  const rows: ProviderRow[] = bars.map((bar) => ({
    ...bar,
    values: 1,
    parts: partsOf(bar.count, ({ value }) => String(value ?? '') === bar.value, bar.q),
  }))
  if (!rest) return rows
  const { bar, values } = rest
  const isOther = ({ value }: Group) => !shown.has(String(value ?? ''))
  return [...rows, { ...bar, values, parts: partsOf(bar.count, isOther, bar.q) }]
}
