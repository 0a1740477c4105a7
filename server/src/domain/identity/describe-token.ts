import type { CatalogService, Level, RoleAssignment, Token } from '@muster/contract'
import { timestamp, timestampOrNull } from '../timestamp.ts'
import { createCache, type CacheMemory } from '../cache.ts'
import { policiesOf, scopeName, type Principal } from './principal.ts'
import type { AccessKeyUse, Assignment, Named, ProjectRecord, UserStatus } from './records.ts'
import { openProjects } from './token-scope.ts'

const nothing: Named = { id: '', name: '' }
const nobody = { domain: nothing, ...nothing }

const reference = ({ id, name }: Named) => ({ id, name })
const member = (record: Named & { readonly domain: Named }) => ({
  domain: reference(record.domain),
  ...reference(record),
})
const names = (records: readonly Named[]) => records.map(({ name }) => name)

const tokenProject = (record: Named, domain: Named) => ({
  Domain: reference(domain),
  Id: record.id,
  Name: record.name,
})

function scopeProject({ scope }: Principal): Token['project'] {
  switch (scope.kind) {
    case 'none':
      return tokenProject(nothing, nothing)
    case 'domain':
      return tokenProject(scope.domain, scope.domain)
    case 'project':
      return tokenProject(scope.project, scope.project.domain)
  }
}

function describeAssignment(assignment: Assignment, userStatus: UserStatus): RoleAssignment {
  const { role, group, target } = assignment
  const policies = policiesOf(assignment)
  const within = (scope: Level) => names(policies.filter((policy) => policy.scope === scope))
  return {
    group: group ? member(group) : nobody,
    role: member(role),
    user: group ? nobody : member(userStatus.user),
    policies: { domain: within('domain'), project: within('project'), system: within('system') },
    scope: {
      domain: target.kind === 'domain' ? reference(target.domain) : nothing,
      project: target.kind === 'project' ? member(target.project) : nobody,
    },
  }
}

/** The parts of a token's description that depend only on the user and the scope. */
function describeUserAndScope(principal: Principal, catalog: readonly CatalogService[]) {
  const { scope, userStatus, policies, assignments } = principal
  const { user } = userStatus
  const roles = new Map(assignments.map(({ role }) => [role.id, reference(role)]))
  return {
    catalog: scope.kind === 'none' ? [] : [...catalog],
    is_domain: scope.kind === 'domain',
    policies: {
      Domain: names(policies.domain),
      Project: names(policies.project),
      System: names(policies.system),
    },
    project: scopeProject(principal),
    projects: openProjects(userStatus).map((project: ProjectRecord) =>
      tokenProject(project, project.domain),
    ),
    role_assignments: userStatus.assignments.map((assignment) =>
      describeAssignment(assignment, userStatus),
    ),
    roles: [...roles.values()],
    user: {
      Displayname: user.displayname,
      Email: user.email,
      Id: user.id,
      Mobile: user.mobile,
      Name: user.name,
      Domain: reference(user.domain),
      PasswordExpiresAt: timestampOrNull(user.passwordExpiresAt),
    },
  }
}

type Description = ReturnType<typeof describeUserAndScope>

/** The secret is never returned. */
const describeAccessKey = (key: AccessKeyUse | null): Token['access_key'] => ({
  AccessKey: key?.id ?? '',
  expire: Math.floor((key?.expiresAt ?? 0) / 1_000),
  secret: '',
})

/** A token as the API shows it. */
export function createDescribeToken(catalog: readonly CatalogService[], memory: CacheMemory) {
  // Valid while the cached user is the same object: it is read again after every change.
  const descriptions = createCache<string, UserStatus, Description>(
    memory,
    'token_descriptions',
    ({ projects, role_assignments }) => 2_000 + 500 * (projects.length + role_assignments.length),
  )

  function describeOnce(principal: Principal) {
    const { userStatus, scope, token } = principal
    const key = `${userStatus.user.id} ${scopeName(scope)} ${token.accessKey?.id ?? ''}`
    let description = descriptions.get(key, userStatus)
    if (!description) {
      description = describeUserAndScope(principal, catalog)
      descriptions.set(key, userStatus, description)
    }
    return description
  }

  return function describeToken(principal: Principal): Token {
    const { token } = principal
    return {
      access_key: describeAccessKey(token.accessKey),
      context: { ip: token.ip, source: token.source },
      expires_at: timestamp(token.expiresAt),
      issued_at: timestamp(token.issuedAt),
      methods: token.factor ? [token.method, token.factor.method] : [token.method],
      ...describeOnce(principal),
    }
  }
}
export type DescribeToken = ReturnType<typeof createDescribeToken>
