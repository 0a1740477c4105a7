import type { Group } from '../../api/queries/statistics.ts'
import { withinLimit, rankTop } from '../../charts/rank.ts'
import { renderTerm } from '../../filter/terms.ts'
import { statusesIn, type StatusGroup } from '../../servers/status.ts'

/** The groups that are counted; all other servers are in the group unknown. */
const countedGroups = ['running', 'stopped', 'changing', 'failed'] as const
type CountedGroup = (typeof countedGroups)[number]

export type ProviderCounts = Readonly<Record<'all' | CountedGroup, readonly Group[]>>

export interface ProviderRow {
  readonly key: string
  readonly value: string
  /** How many providers it sums up; undefined if unknown. */
  readonly values: number | undefined
  readonly count: number
  readonly q: string | undefined
  readonly parts: readonly {
    readonly status: StatusGroup
    readonly count: number
    readonly q: string | undefined
  }[]
}

const statusTerm = (group: StatusGroup) =>
  group === 'unknown'
    ? renderTerm(
        'status',
        countedGroups.flatMap((each) => statusesIn[each]),
        true,
      )
    : renderTerm('status', statusesIn[group])

const sumOf = (groups: readonly Group[]) => groups.reduce((sum, { count }) => sum + count, 0)

/** Servers by provider and status group. The counts come from separate requests, so differences are clamped at 0. */
export function toProviderRows(counts: ProviderCounts, most: number): ProviderRow[] {
  const { bars, rest } = rankTop('provider', counts.all, most)
  const shown = new Set(bars.map(({ value }) => value))

  function partsOf(all: number, isIts: (group: Group) => boolean, q: string | undefined) {
    const counted = countedGroups.map((status) => ({
      status,
      count: sumOf(counts[status].filter(isIts)),
    }))
    const known = counted.reduce((sum, { count }) => sum + count, 0)
    const parts = [...counted, { status: 'unknown' as const, count: Math.max(0, all - known) }]
    return parts.map(({ status, count }) => ({
      status,
      count,
      q: q === undefined ? undefined : withinLimit(`${q} ${statusTerm(status)}`),
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
