import type {
  CredentialDto,
  DomainDto,
  GroupDto,
  IdentityProviderDto,
  NewCredentialDto,
  PolicyDto,
  ProjectDto,
  RoleAssignmentDto,
  RoleDto,
  UserDto,
} from '@muster/contract'
import type { GrantRecord } from '../../domain/identity/administration/registry.ts'
import type {
  AccessKey,
  Domain,
  Group,
  IdentityProvider,
  ResourceKind,
  Policy,
  Project,
  Role,
  User,
} from '../../domain/identity/administration/resources.ts'
import { timestamp, timestampOrNull } from '../../domain/timestamp.ts'

/** Renders resources for the API, with their links and the fields that Keystone clients expect. */
export function createRenderers(authUrl: string) {
  const links = (kind: ResourceKind, id: string) => ({
    links: { self: `${authUrl}/v3/${kind}/${id}` },
  })

  const describeKey = (key: AccessKey, secret: string): CredentialDto => ({
    id: key.id,
    type: 'aksk',
    name: key.name,
    user_id: key.user_id,
    project_id: key.project_id,
    enabled: key.enabled,
    blob: JSON.stringify({ secret, expire: Math.floor((key.expires_at ?? 0) / 1_000) }),
    expires_at: timestampOrNull(key.expires_at),
    created_at: timestamp(key.created_at),
    last_used_at: timestampOrNull(key.last_used_at),
    last_used_ip: key.last_used_ip,
    ...links('credentials', key.id),
  })

  return {
    domains: (domain: Domain): DomainDto => ({
      id: domain.id,
      name: domain.name,
      description: domain.description,
      enabled: domain.enabled,
      tags: [],
      options: {},
      created_at: timestamp(domain.created_at),
      ...links('domains', domain.id),
    }),

    projects: (project: Project): ProjectDto => ({
      id: project.id,
      name: project.name,
      domain_id: project.domain_id,
      description: project.description,
      enabled: project.enabled,
      parent_id: project.domain_id,
      is_domain: false,
      tags: [],
      options: {},
      created_at: timestamp(project.created_at),
      ...links('projects', project.id),
    }),

    users: (user: User): UserDto => ({
      id: user.id,
      name: user.name,
      domain_id: user.domain_id,
      description: user.description,
      enabled: user.enabled,
      displayname: user.displayname,
      email: user.email,
      mobile: user.mobile,
      default_project_id: user.default_project_id,
      password_expires_at: timestampOrNull(user.password_expires_at),
      expires_at: timestampOrNull(user.expires_at),
      options: {},
      created_at: timestamp(user.created_at),
      ...links('users', user.id),
    }),

    groups: (group: Group): GroupDto => ({
      id: group.id,
      name: group.name,
      domain_id: group.domain_id,
      description: group.description,
      created_at: timestamp(group.created_at),
      ...links('groups', group.id),
    }),

    roles: (role: Role): RoleDto => ({
      id: role.id,
      name: role.name,
      domain_id: null,
      description: role.description,
      options: {},
      created_at: timestamp(role.created_at),
      ...links('roles', role.id),
    }),

    policies: (policy: Policy): PolicyDto => ({
      id: policy.id,
      name: policy.name,
      scope: policy.scope,
      enabled: policy.enabled,
      rules: [...policy.rules],
      created_at: timestamp(policy.created_at),
      ...links('policies', policy.id),
    }),

    credentials: (key: AccessKey): CredentialDto => describeKey(key, ''),
    /** The only response that contains the secret. */
    newCredential: (key: AccessKey, secret: string): NewCredentialDto => ({
      ...describeKey(key, secret),
      access_key: key.id,
      secret,
    }),

    identity_providers: (provider: IdentityProvider): IdentityProviderDto => ({
      id: provider.id,
      name: provider.name,
      ...describeDriver(provider),
      domain_id: provider.domain_id,
      enabled: provider.enabled,
      mapping: [...provider.mapping],
      created_at: timestamp(provider.created_at),
      ...links('identity_providers', provider.id),
    }),

    assignment: (grant: GrantRecord, show: AssignmentStyle) => describeGrant(authUrl, grant, show),
  }
}
export type Renderers = ReturnType<typeof createRenderers>

/** Driver options are validated when they are stored, so they match the contract. */
const describeDriver = ({ driver, options }: IdentityProvider) =>
  ({ driver, ...options }) as unknown as Pick<
    IdentityProviderDto,
    'driver' | 'url' | 'service_url' | 'protocol' | 'ca'
  >

interface AssignmentStyle {
  readonly names: boolean
  /** Show assignments of groups as assignments of their members. */
  readonly effective: boolean
}

function describeGrant(
  authUrl: string,
  grant: GrantRecord,
  { names, effective }: AssignmentStyle,
): RoleAssignmentDto {
  const { role, user, group } = grant
  type Thing = { readonly id: string; readonly name: string }
  const named = ({ id, name }: Thing) => (names ? { id, name } : { id })
  const member = (thing: Thing & { readonly domain: Thing }) => ({
    ...named(thing),
    ...(names && { domain: { id: thing.domain.id, name: thing.domain.name } }),
  })
  const holder = group && !effective ? { group: member(group) } : user ? { user: member(user) } : {}
  const path = group ? `groups/${group.id}` : `users/${user?.id ?? ''}`
  const membership = `${authUrl}/v3/groups/${group?.id}/users/${user?.id}`
  return {
    role: named(role),
    ...holder,
    scope: describeScope(grant, named, member),
    links: {
      assignment: `${authUrl}/v3/${scopePath(grant)}/${path}/roles/${role.id}`,
      ...(group && effective && { membership }),
    },
  }
}

type Member = Extract<GrantRecord['scope'], { kind: 'project' }>['project']
type Named = Pick<Member, 'id' | 'name'>

function describeScope(
  { scope }: GrantRecord,
  named: (thing: Named) => { id: string; name?: string },
  member: (thing: Member) => { id: string; name?: string },
): RoleAssignmentDto['scope'] {
  switch (scope.kind) {
    case 'system':
      return { system: { all: true } }
    case 'domain':
      return { domain: named(scope.domain) }
    case 'project':
      return { project: member(scope.project) }
  }
}

function scopePath({ scope }: GrantRecord): string {
  switch (scope.kind) {
    case 'system':
      return 'system'
    case 'domain':
      return `domains/${scope.domain.id}`
    case 'project':
      return `projects/${scope.project.id}`
  }
}
