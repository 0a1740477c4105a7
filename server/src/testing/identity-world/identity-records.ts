import { noLoginRules } from '@muster/contract'
import { newEventId, type EventRecord } from '../../domain/audit/event.ts'
import type {
  Assignment,
  DomainRecord,
  PolicyRecord,
  PolicyRule,
  ProjectRecord,
  RoleRecord,
  UserStatus,
  TokenRecord,
  UserRecord,
} from '../../domain/identity/records.ts'

/** Records as the storage returns them. A test sets only the relevant fields. */

export const makeDomain = (name: string, changes: Partial<DomainRecord> = {}): DomainRecord => ({
  id: `domain-${name}`,
  name,
  description: '',
  enabled: true,
  createdAt: Date.UTC(2026, 0, 1),
  localPasswords: 'on',
  localPasswordsSince: null,
  loginRules: noLoginRules,
  ...changes,
})

export const makeProject = (name: string, changes: Partial<ProjectRecord> = {}): ProjectRecord => ({
  id: `project-${name}`,
  name,
  description: '',
  enabled: true,
  createdAt: Date.UTC(2026, 0, 1),
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
  isBreakGlass: false,
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

export const makeUserStatus = (user: UserRecord, ...assignments: Assignment[]): UserStatus => ({
  user,
  assignments,
  hasFactor: false,
})

export const makeToken = (changes: Partial<TokenRecord> = {}): TokenRecord => ({
  id: 'token-id',
  userId: 'user-alice',
  scope: { kind: 'none' },
  method: 'password',
  parentId: null,
  generation: 0,
  login: { at: changes.issuedAt ?? Date.UTC(2026, 0, 1), method: 'password' },
  issuedAt: Date.UTC(2026, 0, 1),
  expiresAt: Date.UTC(2026, 0, 2),
  ip: '192.0.2.7',
  source: 'api',
  accessKey: null,
  providerId: null,
  providerSession: null,
  factor: null,
  ...changes,
})

export const makeEvent = (changes: Partial<EventRecord> = {}): EventRecord => {
  const time = changes.time ?? Date.UTC(2026, 0, 1)
  return {
    id: newEventId(time),
    time,
    action: 'login',
    target_type: 'user',
    target_id: 'user-alice',
    target_name: 'alice',
    user_id: 'user-alice',
    user: 'alice',
    project_id: '',
    domain_id: 'domain-home',
    ip: '192.0.2.7',
    request_id: 'req-1',
    result: 'success',
    changes: {},
    record: 'event',
    not_observed_since: null,
    ...changes,
  }
}

/** The stored options of a CAS provider at an address that is never contacted. */
export const casOptions = JSON.stringify({
  url: 'https://cas.example.org/cas',
  service_url: 'https://muster.example.org/',
  protocol: 3,
  ca: '',
})
