import type { ServerStatistics } from '@muster/contract'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Group } from '../../api/queries/statistics.ts'
import { BarList, type LabelledBar } from '../../charts/bar-list.tsx'
import { ChartCard } from '../../charts/chart-card.tsx'
import { rankTop, type Bar } from '../../charts/rank.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { GroupTable } from './group-table.tsx'
import { mostBars } from './most-bars.ts'

const heightOfBar = 28

interface Props {
  readonly field: 'status' | 'region' | 'project'
  readonly query: UseQueryResult<ServerStatistics>
  readonly className?: string | undefined
}

/** Servers by what they have in common: the greatest few as bars, the rest as one. */
export function GroupCard({ field, query, className }: Props) {
  const t = useMessages().overview
  const { number, percent } = useFormat()
  const groupsOf = (fleet: ServerStatistics): readonly Group[] => fleet.groups[field] ?? []

  function bars(fleet: ServerStatistics): LabelledBar[] {
    const { bars, rest } = rankTop(field, groupsOf(fleet), mostBars)
    const labelled = (bar: Bar, label: string) => {
      const share = percent(bar.count, fleet.total.count)
      return { ...bar, label, words: t.share(label, bar.count, number(bar.count), share) }
    }
    const named = bars.map((bar) => labelled(bar, bar.value || t.none))
    if (!rest) return named
    const label = rest.values === undefined ? t.allOthers : t.others(number(rest.values))
    return [...named, { ...labelled(rest.bar, label), isRest: true }]
  }

  return (
    <ChartCard
      name={field}
      title={t[field].title}
      operation="getServerStatistics"
      query={query}
      height={(mostBars + 1) * heightOfBar + 40}
      className={className}
      words={(fleet) => {
        const [first, second] = groupsOf(fleet)
        const name = String(first?.value || t.none)
        if (!second) return t.only(name)
        return t[field].words(name, percent(first?.count ?? 0, fleet.total.count))
      }}
      chart={(fleet) => <BarList bars={bars(fleet)} />}
      table={(fleet) => (
        <GroupTable field={field} groups={groupsOf(fleet)} whole={fleet.total.count} />
      )}
    />
  )
}
