import type { ProjectDto } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { projectServersQuery } from '../../api/queries/relations.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Property } from '../../ui/property-list.tsx'
import { useNames } from './use-choices.ts'

/** A value in the query language: what holds no quote may stand in them. */
const quoted = (value: string) => `"${value.replaceAll('"', '')}"`

export function ProjectServers({ project }: { readonly project: ProjectDto }) {
  const t = useMessages()
  const format = useFormat()
  const permission = usePermission('listServers')
  const domains = useNames('domains')
  const { data: count } = useQuery({
    ...projectServersQuery(project.id),
    enabled: permission.allowed,
  })
  if (permission.reason !== undefined) return <Property label={t.identity.servers} />
  if (count === undefined) return <Property label={t.identity.servers}>…</Property>
  const domain = domains.get(project.domain_id)
  const q = [
    `project:${quoted(project.name)}`,
    ...(domain === undefined ? [] : [`project_domain:${quoted(domain)}`]),
  ].join(' ')
  return (
    <Property label={t.identity.servers}>
      <Link to="/servers" search={{ q }}>
        {t.common.servers(count, format.number(count))}
      </Link>
    </Property>
  )
}
