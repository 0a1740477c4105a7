import type {
  Assignment,
  DomainRecord,
  PolicyRecord,
  PolicyRule,
  ProjectRecord,
  RoleRecord,
  Standing,
  TokenRecord,
  UserRecord,
} from '../domain/identity/records.ts'

/** Records as the storage would hand them to the domain; a test names only what it is about. */

export const makeDomain = (name: string, changes: Partial<DomainRecord> = {}): DomainRecord => ({
  id: `domain-${name}`,
  name,
  description: '',
  enabled: true,
  ...changes,
})

export const makeProject = (name: string, changes: Partial<ProjectRecord> = {}): ProjectRecord => ({
  id: `project-${name}`,
  name,
  description: '',
  enabled: true,
  domain: makeDomain('home'),
  ...changes,
})

export const makeUser = (name: string, changes: Partial<UserRecord> = {}): UserRecord => ({
  id: `user-${name}`,
  name,
  displayname: '',
  email: '',
  mobile: '',
  enabled: true,
  domain: makeDomain('home'),
  defaultProjectId: null,
  passwordExpiresAt: null,
  expiresAt: null,
  ...changes,
})

export const makePolicy = (
  name: string,
  scope: PolicyRecord['scope'],
  rules: readonly PolicyRule[] = [],
  enabled = true,
): PolicyRecord => ({ id: `policy-${name}`, name, scope, enabled, rules })

export const makeRole = (name: string, policies: readonly PolicyRecord[] = []): RoleRecord => ({
  id: `role-${name}`,
  name,
  domain: { id: 'domain-home', name: 'home' },
  policies,
})

type Group = NonNullable<Assignment['group']>

export const onProject = (role: RoleRecord, project: ProjectRecord, group?: Group): Assignment => ({
  role,
  group,
  target: { kind: 'project', project },
})

export const onDomain = (role: RoleRecord, domain: DomainRecord): Assignment => ({
  role,
  group: undefined,
  target: { kind: 'domain', domain },
})

export const onSystem = (role: RoleRecord): Assignment => ({
  role,
  group: undefined,
  target: { kind: 'system' },
})

export const makeStanding = (user: UserRecord, ...assignments: Assignment[]): Standing => ({
  user,
  assignments,
})

export const makeToken = (changes: Partial<TokenRecord> = {}): TokenRecord => ({
  id: 'token-id',
  userId: 'user-alice',
  scope: { kind: 'none' },
  method: 'password',
  parentId: null,
  generation: 0,
  issuedAt: Date.UTC(2026, 0, 1),
  expiresAt: Date.UTC(2026, 0, 2),
  ip: '192.0.2.7',
  source: 'api',
  accessKey: null,
  ...changes,
})
