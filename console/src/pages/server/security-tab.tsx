import type { Server } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { FilterLink } from './filter-link.tsx'
import styles from './server.module.css'

type Group = Server['secgroups'][number]

const rulesOf = (text: string) =>
  text
    .split(';')
    .map((rule) => rule.trim())
    .filter(Boolean)

export function SecurityTab({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const { secgroups, secgrp_id: firstId } = server
  const columns: readonly Column<Group>[] = [
    {
      key: 'name',
      title: t.name,
      // Filters only know the first security group.
      cell: ({ id, name }) =>
        id === firstId ? <FilterLink name="secgroup" value={name || id} /> : <bdi>{name}</bdi>,
    },
    { key: 'id', title: t.id, cell: ({ id }) => <Copyable value={id} /> },
  ]
  return (
    <div className={styles.part}>
      {secgroups.length === 0 ? (
        <EmptyState title={t.noGroups}>{t.noGroupsText}</EmptyState>
      ) : (
        <>
          <Table
            caption={t.tabs.security}
            columns={columns}
            rows={secgroups}
            rowKey={({ id }) => id}
          />
          <Rules title={t.rules} rules={rulesOf(server.security_rules)} />
        </>
      )}
      {server.admin_secgrp_id !== '' && (
        <>
          <h2>{t.forcedGroup}</h2>
          <PropertyList>
            <Property label={t.id}>
              <Copyable value={server.admin_secgrp_id} />
            </Property>
          </PropertyList>
          <Rules title={t.rules} rules={rulesOf(server.admin_security_rules)} />
        </>
      )}
    </div>
  )
}

function Rules({ title, rules }: { readonly title: string; readonly rules: readonly string[] }) {
  const { server: t } = useMessages()
  if (rules.length === 0) return <p className={styles.soft}>{t.noRules}</p>
  const columns: readonly Column<string>[] = [
    { key: 'rule', title: t.rule, cell: (rule) => <Copyable value={rule} /> },
  ]
  return <Table caption={title} columns={columns} rows={rules} rowKey={(rule) => rule} />
}
