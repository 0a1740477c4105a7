import type { Group } from '../../api/queries/statistics.ts'
import { rankTop, type Bar } from '../../charts/rank.ts'
import { ServersLink } from '../../charts/servers-link.tsx'
import { ScrollingTable } from '../../charts/scrolling-table.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { useMessages } from '../../messages/use-messages.ts'
import type { Breakdown } from './fleet-query.ts'

interface Props {
  readonly field: Breakdown
  readonly groups: readonly Group[]
  readonly whole: number
}

interface Row {
  readonly bar: Bar
  readonly label: string
  readonly group: Group | undefined
}

/** The groups as a table. */
export function GroupTable({ field, groups, whole }: Props) {
  const t = useMessages().overview
  const { number, size, percent } = useFormat()
  const names = useValueNames()
  const { bars, rest } = rankTop(field, groups, groups.length)
  const rows: Row[] = bars.map((bar, at) => ({
    bar,
    label: names.fullName(field, bar.value) || t.none,
    group: groups[at],
  }))
  if (rest) rows.push({ bar: rest.bar, label: t.allOthers, group: groups.at(-1) })
  return (
    <ScrollingTable
      caption={t[field].title}
      rows={rows}
      rowKey={({ bar }) => bar.key}
      columns={[
        {
          key: 'name',
          title: t[field].column,
          cell: ({ bar, label }) => <ServersLink q={bar.q}>{label}</ServersLink>,
        },
        {
          key: 'servers',
          title: t.column.servers,
          number: true,
          cell: ({ bar }) => number(bar.count),
        },
        {
          key: 'share',
          title: t.column.share,
          number: true,
          cell: ({ bar }) => percent(bar.count, whole),
        },
        {
          key: 'vcpus',
          title: t.column.vcpus,
          number: true,
          cell: ({ group }) => number(group?.vcpu_count ?? 0),
        },
        {
          key: 'memory',
          title: t.column.memory,
          number: true,
          cell: ({ group }) => size(group?.vmem_size ?? 0),
        },
        {
          key: 'disks',
          title: t.column.disks,
          number: true,
          cell: ({ group }) => size(group?.disk ?? 0),
        },
      ]}
    />
  )
}
