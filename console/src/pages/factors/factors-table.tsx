import type { FactorDto } from '@muster/contract'
import type { ReactNode } from 'react'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Table } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'

interface Props {
  readonly factors: readonly FactorDto[]
  /** What the user can do with an own factor. */
  readonly actions?: (factor: FactorDto) => ReactNode
}

export function FactorsTable({ factors, actions }: Props) {
  const { factors: t, common } = useAllMessages()
  return (
    <Table
      caption={t.caption}
      rows={factors}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t.name,
          cell: ({ name, confirmed }) => (
            <>
              {name} <small>{confirmed ? t.type : t.unconfirmed}</small>
            </>
          ),
        },
        {
          key: 'added',
          title: t.added,
          cell: ({ created_at: time }) => <TimeAgo time={time} />,
        },
        {
          key: 'used',
          title: t.lastUsed,
          cell: ({ last_used_at: time }) => <TimeAgo time={time} never={t.neverUsed} />,
        },
        ...(actions
          ? [{ key: 'actions', title: common.actions, number: true, cell: actions }]
          : []),
      ]}
    />
  )
}
