import type { ServerStatistics } from '@muster/contract'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Group } from '../../api/queries/statistics.ts'
import { BarList, type LabelledBar } from '../../charts/bar-list.tsx'
import { ChartCard } from '../../charts/chart-card.tsx'
import { rankTop, type Bar } from '../../charts/rank.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { groupOfStatus, groupTones, statusesIn, statusGroups } from '../../servers/status.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { toneColour } from '../../ui/status-mark.tsx'
import { renderTerm } from '../../filter/terms.ts'
import type { Breakdown } from './fleet-query.ts'
import { GroupTable } from './group-table.tsx'
import { mostBars } from './most-bars.ts'

const heightOfBar = 28

interface Props {
  readonly field: Breakdown
  readonly query: UseQueryResult<ServerStatistics>
  readonly className?: string | undefined
}

/** Servers by one field: the largest groups as bars, the rest as one bar. */
export function GroupCard({ field, query, className }: Props) {
  const { overview: t, values } = useMessages()
  const { number, percent } = useFormat()
  const names = useValueNames()
  const groupsOf = (fleet: ServerStatistics): readonly Group[] => fleet.groups[field] ?? []

  /** One bar per group of statuses: there are more than thirty statuses. */
  function statusBars(fleet: ServerStatistics): LabelledBar[] {
    return statusGroups.flatMap((group) => {
      const members = groupsOf(fleet).filter(({ value }) => groupOfStatus(String(value)) === group)
      const count = members.reduce((sum, member) => sum + member.count, 0)
      const q = renderTerm('status', [
        ...new Set([...statusesIn[group], ...members.map(({ value }) => String(value ?? ''))]),
      ])
      const label = values.statusGroups[group]
      const description = t.share(label, count, number(count), percent(count, fleet.total.count))
      const colour = toneColour(groupTones[group])
      const bar = { key: group, value: group, count, q, label, description, colour }
      return count === 0 ? [] : [bar]
    })
  }

  function bars(fleet: ServerStatistics): LabelledBar[] {
    if (field === 'status') return statusBars(fleet)
    const { bars, rest } = rankTop(field, groupsOf(fleet), mostBars)
    const labelled = (bar: Bar, label: string) => {
      const share = percent(bar.count, fleet.total.count)
      return { ...bar, label, description: t.share(label, bar.count, number(bar.count), share) }
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
      query={query}
      height={(mostBars + 1) * heightOfBar + 40}
      className={className}
      summary={(fleet) => {
        const [first, second] = groupsOf(fleet)
        const name = names.name(field, String(first?.value ?? '')) || t.none
        if (!second) return t.only(name)
        return t[field].summary(name, percent(first?.count ?? 0, fleet.total.count))
      }}
      chart={(fleet) => <BarList bars={bars(fleet)} />}
      table={(fleet) => (
        <GroupTable field={field} groups={groupsOf(fleet)} whole={fleet.total.count} />
      )}
    />
  )
}
