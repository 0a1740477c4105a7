import { administeredResources, type PageResource } from '@muster/contract/resources'
import type { UserDto } from '@muster/contract'
import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { AnyEntity, Kind } from '../../api/kind-operations.ts'
import { RoleName } from '../../session/role-name.tsx'
import { roleText } from '../../session/role-text.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import type { Column } from '../../ui/table.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { mostSummaries, projectSummariesQuery } from '../../api/queries/relations.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
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

export function useColumns(kind: Kind, rows: readonly AnyEntity[]): readonly Column<AnyEntity>[] {
  const summaryColumns = useProjectSummaries(kind === 'projects' ? rows : none)
  const t = useAllMessages()
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
    if (name === 'attention') {
      const attention = value as UserDto['attention']
      return (
        attention !== '' && <StatusMark tone="warn">{t.identity.attentions[attention]}</StatusMark>
      )
    }
    if (name === 'name') {
      return (
        <EntityLink kind={kind} id={entity.id}>
          {kind === 'roles' ? <RoleName name={entity.name} /> : entity.name}
        </EntityLink>
      )
    }
    if (kind === 'roles' && name === 'description') return roleText(t, entity).hint
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
    if (fields[name]?.type === 'timestamp') {
      return <TimeAgo time={value as string | null} never={t.identity.neverLoggedIn} />
    }
    return value as string | number | null
  }

  const sortable = new Set(['name', 'enabled', 'created_at', 'last_login_at'])
  return columns.flatMap((name) => [
    {
      key: name,
      title: titles[name] ?? name,
      number: fields[name]?.type === 'object',
      ...(sortable.has(name) && { sortBy: name }),
      cell: (entity: AnyEntity) => cell(name, entity),
    },
    ...(kind === 'projects' && name === 'domain_id' ? summaryColumns : []),
  ])
}

const none: readonly never[] = []
const shownOwners = 2

/** How many servers and users a project has, and who owns it. */
function useProjectSummaries(projects: readonly AnyEntity[]): readonly Column<AnyEntity>[] {
  const t = useAllMessages().identity
  const { number } = useFormat()
  const chunks = Array.from({ length: Math.ceil(projects.length / mostSummaries) }, (_, at) =>
    projects.slice(at * mostSummaries, (at + 1) * mostSummaries),
  )
  const answers = useQueries({
    queries: chunks.map((chunk) => projectSummariesQuery(chunk.map(({ id }) => id))),
  })
  const summaries = new Map(
    answers.flatMap(({ data = none }) => data.map((each) => [each.project_id, each] as const)),
  )
  const count = (key: 'servers' | 'users', title: string): Column<AnyEntity> => ({
    key,
    title,
    number: true,
    cell({ id }) {
      const summary = summaries.get(id)
      const value = summary?.[key]
      return value === null ? '–' : value !== undefined && number(value)
    },
  })
  return [
    count('servers', t.servers),
    count('users', t.people),
    {
      key: 'owners',
      title: t.owners,
      cell({ id }) {
        const owners = summaries.get(id)?.owners ?? none
        const rest = owners.length - shownOwners
        return (
          <span title={owners.join(', ')}>
            {owners.slice(0, shownOwners).join(', ')}
            {rest > 0 && ` +${number(rest)}`}
          </span>
        )
      },
    },
  ]
}
