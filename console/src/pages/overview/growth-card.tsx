import { useQuery } from '@tanstack/react-query'
import { timelineQuery, type DayCount } from '../../api/queries/timeline.ts'
import { ChartCard } from '../../charts/chart-card.tsx'
import { DayLine } from '../../charts/day-line.tsx'
import { ScrollingTable } from '../../charts/scrolling-table.tsx'
import { scaleFor } from '../../charts/scale.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { madeBy } from './days.ts'
import { changeOver } from './growth.ts'

const shownDays = 90

/** The number of servers per day. */
export function GrowthCard({ className }: { readonly className?: string | undefined }) {
  const t = useMessages().overview
  const { number, size, day } = useFormat()
  const query = useQuery(timelineQuery(shownDays))

  function describeDay({ date, count, estimated }: DayCount): string {
    const render = estimated ? t.growth.estimatedDay : t.growth.day
    return render(day(date), count, number(count))
  }

  function summary(days: readonly DayCount[]): string {
    const change = changeOver(days)
    const { from } = scaleFor(
      days.map(({ count }) => count),
      4,
    )
    return [
      change && describeChange(change),
      days.some(({ estimated }) => estimated) && t.growth.estimated,
      from > 0 && t.growth.cut(number(from)),
    ]
      .filter(Boolean)
      .join(' ')
  }

  function describeChange({ since, by }: { since: string; by: number }): string {
    if (by === 0) return t.growth.same(day(since))
    return by > 0 ? t.growth.more(number(by), day(since)) : t.growth.fewer(number(-by), day(since))
  }

  return (
    <ChartCard
      name="growth"
      title={t.growth.title}
      query={query}
      height={260}
      className={className}
      summary={summary}
      chart={(days) => (
        <DayLine
          label={t.growth.days}
          days={days.map((each) => ({
            date: each.date,
            count: each.count,
            isEstimated: each.estimated,
            q: madeBy(each.date),
            description: describeDay(each),
          }))}
        />
      )}
      table={(days) => (
        <ScrollingTable
          caption={t.growth.title}
          rows={days.toReversed()}
          rowKey={({ date }) => date}
          columns={[
            {
              key: 'day',
              title: t.column.day,
              cell: ({ date }) => day(date),
            },
            {
              key: 'servers',
              title: t.column.servers,
              number: true,
              cell: ({ count }) => number(count),
            },
            {
              key: 'vcpus',
              title: t.column.vcpus,
              number: true,
              cell: ({ vcpu_count }) => number(vcpu_count),
            },
            {
              key: 'memory',
              title: t.column.memory,
              number: true,
              cell: ({ vmem_size }) => size(vmem_size),
            },
            { key: 'disks', title: t.column.disks, number: true, cell: ({ disk }) => size(disk) },
            {
              key: 'source',
              title: t.column.countSource,
              cell: ({ estimated }) => (estimated ? t.growth.isEstimated : t.growth.counted),
            },
          ]}
        />
      )}
    />
  )
}
