import type { ProjectView } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { projectServersQuery } from '../../api/queries/relations.ts'
import { useMay } from '../../session/use-may.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Fact } from '../../ui/facts.tsx'
import { useNames } from './use-choices.ts'

/** A value in the query language: what holds no quote may stand in them. */
const quoted = (value: string) => `"${value.replaceAll('"', '')}"`

export function ProjectServers({ project }: { readonly project: ProjectView }) {
  const t = useMessages()
  const format = useFormat()
  const may = useMay('listServers')
  const domains = useNames('domains')
  const { data: count } = useQuery({ ...projectServersQuery(project.id), enabled: may.allowed })
  if (may.reason !== undefined) return <Fact label={t.identity.servers} />
  if (count === undefined) return <Fact label={t.identity.servers}>…</Fact>
  const domain = domains.get(project.domain_id)
  const q = [
    `project:${quoted(project.name)}`,
    ...(domain === undefined ? [] : [`project_domain:${quoted(domain)}`]),
  ].join(' ')
  return (
    <Fact label={t.identity.servers}>
      <Link to="/servers" search={{ q }}>
        {t.common.servers(count, format.number(count))}
      </Link>
    </Fact>
  )
}
