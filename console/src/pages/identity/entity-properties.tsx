import type { PolicyDto, ProjectDto, UserDto } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import type { AnyEntity, Kind } from '../../api/kind-operations.ts'
import { roleText } from '../../session/role-text.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { EnabledMark } from './enabled-mark.tsx'
import { EntityLink } from './entity-link.tsx'
import { fieldsOf, type Field } from './form-values.ts'
import { useNames } from './use-choices.ts'
import { useQuery } from '@tanstack/react-query'
import { projectServersQuery } from '../../api/queries/relations.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'

/** Fields that are the title, a section or a property that all kinds have. */
const shownElsewhere: ReadonlySet<string> = new Set([
  'name',
  'description',
  'domain_id',
  'password',
  'rules',
])

interface Props {
  readonly kind: Kind
  readonly entity: AnyEntity
}

/** The properties of an entity. */
export function EntityProperties({ kind, entity }: Props) {
  const t = useAllMessages()
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
      {fieldsOf(kind, 'service_account' in entity && entity.service_account)
        .filter(({ name }) => !shownElsewhere.has(name))
        .map((field) => (
          <Property key={field.name} label={t.identity.fields[field.name]}>
            {hasValue(field, entity) && <FieldValue field={field} entity={entity} />}
          </Property>
        ))}
      {kind === 'users' && <UserProperties user={entity as UserDto} />}
      {kind === 'projects' && <ProjectServers project={entity as ProjectDto} />}
      {kind === 'domains' && <DomainLinks id={entity.id} />}
      {'description' in entity && (
        <Property label={t.common.description}>
          {kind === 'roles' ? roleText(t, entity).hint : entity.description}
        </Property>
      )}
      <Property label={t.common.created}>
        <TimeAgo time={entity.created_at} />
      </Property>
      <Property label={t.identity.activity}>
        {kind === 'users' && (
          <>
            <Link to="/activity" search={{ user_id: entity.id }}>
              {t.identity.actionsByUser}
            </Link>
            {' · '}
          </>
        )}
        <Link to="/activity" search={{ target_id: entity.id }}>
          {t.identity.changesOf}
        </Link>
      </Property>
    </PropertyList>
  )
}

/** A time that is not set has a word. */
const hasValue = ({ name, input }: Field, entity: AnyEntity): true | undefined =>
  input === 'dateTime' || Boolean((entity as Readonly<Record<string, unknown>>)[name]) || undefined

function FieldValue({ field, entity }: { readonly field: Field; readonly entity: AnyEntity }) {
  const t = useAllMessages()
  const projects = useNames('projects')
  const users = useNames('users')
  const value = (entity as Readonly<Record<string, unknown>>)[field.name]
  if (field.input === 'dateTime') {
    return <TimeAgo time={value as string | null} never={t.identity.never} />
  }
  if (typeof value !== 'string') return null
  if (field.input === 'scope') return t.identity.levels[value as PolicyDto['scope']]
  if (field.input !== 'project' && field.input !== 'user') return value
  const isUser = field.input === 'user'
  return (
    <EntityLink kind={isUser ? 'users' : 'projects'} id={value}>
      {(isUser ? users : projects).get(value) ?? value}
    </EntityLink>
  )
}

function UserProperties({ user }: { readonly user: UserDto }) {
  const t = useAllMessages()
  return (
    <>
      <Property label={t.identity.fields.last_login_at}>
        <TimeAgo time={user.last_login_at} never={t.identity.neverLoggedIn} />
      </Property>
      {user.attention !== '' && (
        <Property label={t.identity.fields.attention}>
          <StatusMark tone="warn">{t.identity.attentions[user.attention]}</StatusMark>
        </Property>
      )}
      {user.break_glass && (
        <Property label={t.identity.fields.break_glass}>{t.identity.breakGlassYes}</Property>
      )}
      {!user.service_account && (
        <Property label={t.identity.passwordExpires}>
          <TimeAgo time={user.password_expires_at} never={t.identity.never} />
        </Property>
      )}
    </>
  )
}

const inDomain = ['projects', 'users', 'groups'] as const

function DomainLinks({ id }: { readonly id: string }) {
  const t = useAllMessages()
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
  const t = useAllMessages()
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
