import { useQuery } from '@tanstack/react-query'
import { providerStatusQuery } from '../../api/queries/statistics.ts'
import { ChartCard } from '../../charts/chart-card.tsx'
import { ServersLink } from '../../charts/servers-link.tsx'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { ScrollingTable } from '../../charts/scrolling-table.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { groupTones, statusGroups, type StatusGroup } from '../../servers/status.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { toneColour } from '../../ui/status-mark.tsx'
import { mostBars } from './most-bars.ts'
import { toProviderRows, type ProviderCounts, type ProviderRow } from './provider-status.ts'

const heightOfStack = 44

/** Servers by provider and status group. */
export function ProviderStatusCard({ className }: { readonly className?: string | undefined }) {
  const { overview: t, values } = useMessages()
  const names = useValueNames()
  const { number, percent } = useFormat()
  const query = useQuery(providerStatusQuery)
  const totalOf = ({ all }: ProviderCounts) => all.reduce((sum, { count }) => sum + count, 0)

  function nameOf({ key, value, values }: ProviderRow): string {
    if (key !== 'rest') return names.name('provider', value) || t.none
    return values === undefined ? t.allOthers : t.others(number(values))
  }

  function titleOf(group: StatusGroup): string {
    const word = names.groupWord(group)
    return word === undefined
      ? values.statusGroups[group]
      : `${values.statusGroups[group]} (${word})`
  }

  function stacksOf(counts: ProviderCounts) {
    const whole = totalOf(counts)
    return toProviderRows(counts, mostBars).map((row) => {
      const label = nameOf(row)
      const describe = (name: string, count: number, of: number) =>
        t.share(name, count, number(count), percent(count, of))
      return {
        ...row,
        label,
        description: describe(label, row.count, whole),
        parts: row.parts.map(({ status, count, q }) => ({
          key: status,
          colour: toneColour(groupTones[status]),
          count,
          q,
          description: describe(`${label}, ${values.statusGroups[status]}`, count, row.count),
        })),
      }
    })
  }

  return (
    <ChartCard
      name="provider"
      title={t.provider.title}
      operation="getServerStatistics"
      query={query}
      height={(mostBars + 1) * heightOfStack + 76}
      className={className}
      summary={(counts) => {
        const [first, second] = counts.all
        const name = names.name('provider', String(first?.value ?? '')) || t.none
        if (!second) return t.only(name)
        return t.provider.summary(name, percent(first?.count ?? 0, totalOf(counts)))
      }}
      chart={(counts) => (
        <StackedBars
          kinds={statusGroups.map((group) => ({
            name: values.statusGroups[group],
            note: names.groupWord(group),
            colour: toneColour(groupTones[group]),
          }))}
          stacks={stacksOf(counts)}
        />
      )}
      table={(counts) => (
        <ScrollingTable
          caption={t.provider.title}
          rows={toProviderRows(counts, counts.all.length)}
          rowKey={({ key }) => key}
          columns={[
            {
              key: 'name',
              title: t.provider.column,
              cell: (row) => <ServersLink q={row.q}>{nameOf(row)}</ServersLink>,
            },
            ...statusGroups.map((group, at) => ({
              key: group,
              title: titleOf(group),
              number: true,
              cell: (row: ProviderRow) => (
                <ServersLink q={row.parts[at]?.q}>
                  {number(row.parts[at]?.count ?? 0)}
                  <span className="visuallyHidden">{` · ${nameOf(row)}, ${values.statusGroups[group]}`}</span>
                </ServersLink>
              ),
            })),
            { key: 'all', title: t.column.all, number: true, cell: (row) => number(row.count) },
          ]}
        />
      )}
    />
  )
}
