import type { PolicyRule } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Table } from '../../ui/table.tsx'

export function RulesTable({ rules }: { readonly rules: readonly PolicyRule[] }) {
  const t = useMessages()
  const word = (value: string) => <code>{value === '*' ? t.identity.any : value}</code>
  return (
    <Table
      caption={t.identity.rules}
      rows={rules.map((rule, at) => ({ ...rule, at }))}
      rowKey={({ at }) => String(at)}
      columns={[
        {
          key: 'effect',
          title: t.identity.effect,
          cell: ({ effect }) => (
            <StatusMark tone={effect === 'allow' ? 'good' : 'bad'}>{t.identity[effect]}</StatusMark>
          ),
        },
        { key: 'service', title: t.identity.service, cell: ({ service }) => word(service) },
        { key: 'resource', title: t.identity.resource, cell: ({ resource }) => word(resource) },
        { key: 'action', title: t.identity.action, cell: ({ action }) => word(action) },
      ]}
    />
  )
}
