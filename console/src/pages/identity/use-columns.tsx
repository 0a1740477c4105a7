import { administeredResources, type PageResource } from '@muster/contract/resources'
import type { ReactNode } from 'react'
import type { AnyEntity, Kind } from '../../api/kind-operations.ts'
import { useMessages } from '../../messages/use-messages.ts'
import type { Column } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { EnabledMark } from './enabled-mark.tsx'
import { EntityLink } from './entity-link.tsx'
import styles from './entity-list.module.css'
import { inputOf } from './form-values.ts'
import { useNames } from './use-choices.ts'

const clamped = (text: string) => (
  <span className={`${styles.clamp} ${styles.soft}`} title={text}>
    {text}
  </span>
)

export function useColumns(kind: Kind): readonly Column<AnyEntity>[] {
  const t = useMessages()
  const domains = useNames('domains')
  const projects = useNames('projects')
  const { columns, fields }: PageResource = administeredResources[kind]
  const titles: Readonly<Partial<Record<string, string>>> = {
    ...t.identity.fields,
    rules: t.identity.ruleCount,
    enabled: t.identity.state,
    created_at: t.common.created,
  }

  function cell(name: string, entity: AnyEntity): ReactNode {
    const value = (entity as Readonly<Record<string, unknown>>)[name]
    if (name === 'name') {
      return (
        <EntityLink kind={kind} id={entity.id}>
          {entity.name}
        </EntityLink>
      )
    }
    const input = inputOf(kind, name)
    if ((input === 'domain' || input === 'project') && typeof value === 'string') {
      return (
        <EntityLink kind={`${input}s`} id={value}>
          {(input === 'domain' ? domains : projects).get(value) ?? value}
        </EntityLink>
      )
    }
    if (input === 'scope') return t.identity.levels[value as keyof typeof t.identity.levels]
    if (input === 'long') return clamped(String(value))
    if (Array.isArray(value)) return value.length
    if (typeof value === 'boolean') return <EnabledMark enabled={value} />
    if (fields[name]?.type === 'timestamp') return <TimeAgo time={value as string | null} />
    return value as string | number | null
  }

  const sortable = new Set(['name', 'enabled', 'created_at'])
  return columns.map((name) => ({
    key: name,
    title: titles[name] ?? name,
    number: fields[name]?.type === 'object',
    ...(sortable.has(name) && { sortBy: name }),
    cell: (entity) => cell(name, entity),
  }))
}
