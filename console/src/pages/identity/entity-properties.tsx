import type { PolicyDto, ProjectDto, UserDto } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import type { AnyEntity, Kind } from '../../api/kind-operations.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { EnabledMark } from './enabled-mark.tsx'
import { EntityLink } from './entity-link.tsx'
import { useNames } from './use-choices.ts'
import { useQuery } from '@tanstack/react-query'
import { projectServersQuery } from '../../api/queries/relations.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'

interface Props {
  readonly kind: Kind
  readonly entity: AnyEntity
}

/** The properties of an entity. */
export function EntityProperties({ kind, entity }: Props) {
  const t = useMessages()
  const domains = useNames('domains')
  const domainId = 'domain_id' in entity ? entity.domain_id : null
  return (
    <PropertyList>
      <Property label={t.common.id}>
        <Copyable value={entity.id} />
      </Property>
      {'enabled' in entity && (
        <Property label={t.identity.state}>
          <EnabledMark enabled={entity.enabled} />
        </Property>
      )}
      {domainId !== null && (
        <Property label={t.identity.fields.domain_id}>
          <EntityLink kind="domains" id={domainId}>
            {domains.get(domainId) ?? domainId}
          </EntityLink>
        </Property>
      )}
      {kind === 'users' && <UserProperties user={entity as UserDto} />}
      {kind === 'policies' && (
        <Property label={t.identity.fields.scope}>
          {t.identity.levels[(entity as PolicyDto).scope]}
        </Property>
      )}
      {kind === 'projects' && <ProjectServers project={entity as ProjectDto} />}
      {kind === 'domains' && <DomainLinks id={entity.id} />}
      {'description' in entity && (
        <Property label={t.common.description}>{entity.description}</Property>
      )}
      <Property label={t.common.created}>
        <TimeAgo time={entity.created_at} />
      </Property>
      <Property label={t.identity.activity}>
        <Link to="/activity" search={{ target_id: entity.id }}>
          {t.identity.showEvents}
        </Link>
      </Property>
    </PropertyList>
  )
}

function UserProperties({ user }: { readonly user: UserDto }) {
  const t = useMessages()
  const projects = useNames('projects')
  const { id, default_project_id: project } = user
  return (
    <>
      <Property label={t.identity.fields.displayname}>{user.displayname}</Property>
      <Property label={t.identity.fields.email}>{user.email}</Property>
      <Property label={t.identity.fields.mobile}>{user.mobile}</Property>
      <Property label={t.identity.fields.default_project_id}>
        {project === null ? null : (
          <EntityLink kind="projects" id={project}>
            {projects.get(project) ?? project}
          </EntityLink>
        )}
      </Property>
      <Property label={t.identity.fields.expires_at}>
        <TimeAgo time={user.expires_at} never={t.identity.never} />
      </Property>
      <Property label={t.identity.passwordExpires}>
        <TimeAgo time={user.password_expires_at} never={t.identity.never} />
      </Property>
      <Property label={t.identity.actionsByUser}>
        <Link to="/activity" search={{ user_id: id }}>
          {t.identity.activity}
        </Link>
      </Property>
    </>
  )
}

const inDomain = ['projects', 'users', 'groups'] as const

function DomainLinks({ id }: { readonly id: string }) {
  const t = useMessages()
  return (
    <Property label={t.identity.inDomain}>
      {inDomain.map((kind, index) => (
        <span key={kind}>
          {index > 0 && ' · '}
          <Link to="/identity/$kind" params={{ kind }} search={{ domain: id }}>
            {t.identity.kinds[kind]}
          </Link>
        </span>
      ))}
    </Property>
  )
}

/** A quoted value of the query language. */
const quoted = (value: string) => `"${value.replaceAll('"', '')}"`

function ProjectServers({ project }: { readonly project: ProjectDto }) {
  const t = useMessages()
  const format = useFormat()
  const permission = usePermission('listServers')
  const domains = useNames('domains')
  const { data: count, isError } = useQuery({
    ...projectServersQuery(project.id),
    enabled: permission.allowed,
  })
  if (permission.reason !== undefined || isError) return <Property label={t.identity.servers} />
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
