import type { Level } from '@muster/contract'
import type { Network } from '../networks.ts'
import { endOfToken, networksFor } from './login-rules.ts'
import type { AccessKeyUse, Assignment, PolicyRecord, UserStatus, TokenRecord } from './records.ts'
import { restrictionOf, restrictUserStatus } from './access-key/key-restriction.ts'
import { assignmentsInScope, toTokenScope, type GrantedScope } from './token-scope.ts'

/** A verified token with its user, scope and permissions. */
export interface Principal {
  /** It ends no later than the rules of the domain allow. */
  readonly token: TokenRecord
  /** With the role assignments that its access key leaves to the token. */
  readonly userStatus: UserStatus
  readonly scope: GrantedScope
  /** The role assignments that apply in this scope. */
  readonly assignments: readonly Assignment[]
  readonly policies: Readonly<Record<Level, readonly PolicyRecord[]>>
  /** Where requests must come from; undefined for anywhere. */
  readonly networks: readonly Network[] | undefined
}

/**
 * The policies of a role that apply where it is assigned: a project policy has no effect on a
 * domain.
 */
export const policiesOf = ({ role, target }: Assignment): PolicyRecord[] =>
  role.policies.filter((policy) => policy.enabled && policy.scope === target.kind)

function policiesByScope(assignments: readonly Assignment[]): Principal['policies'] {
  const all = assignments.flatMap(policiesOf)
  const distinct = [...new Map(all.map((policy) => [policy.id, policy])).values()]
  const within = (scope: Level) => distinct.filter((policy) => policy.scope === scope)
  return { system: within('system'), domain: within('domain'), project: within('project') }
}

/** Tells the scopes of one user apart. */
export function scopeName(scope: GrantedScope): string {
  switch (scope.kind) {
    case 'none':
      return 'none'
    case 'domain':
      return `domain:${scope.domain.id}`
    case 'project':
      return `project:${scope.project.id}`
  }
}

export function createPrincipal(
  token: TokenRecord,
  holder: UserStatus,
  scope: GrantedScope,
): Principal {
  const userStatus = restrictUserStatus(holder, restrictionOf(token))
  const assignments = assignmentsInScope(scope, userStatus)
  const { user } = userStatus
  return {
    token: { ...token, expiresAt: endOfToken(token, user) },
    userStatus,
    scope,
    assignments,
    policies: policiesByScope(assignments),
    networks: networksFor(user, token.login),
  }
}

/** Of a token that does not exist, to decide as for a real one. */
export const supposePrincipal = (
  userStatus: UserStatus,
  scope: GrantedScope,
  accessKey: AccessKeyUse | null = null,
): Principal =>
  createPrincipal(
    {
      id: '',
      userId: userStatus.user.id,
      scope: toTokenScope(scope),
      method: 'password',
      parentId: null,
      generation: 0,
      login: { at: 0, method: 'password' },
      issuedAt: 0,
      expiresAt: 0,
      ip: '',
      source: 'api',
      accessKey,
      providerId: null,
      providerSession: null,
      factor: null,
    },
    userStatus,
    scope,
  )

/** The domain of the token's scope; for a token without scope, the user's own. */
export function domainIdOf({ scope, userStatus }: Principal): string {
  switch (scope.kind) {
    case 'domain':
      return scope.domain.id
    case 'project':
      return scope.project.domain.id
    case 'none':
      return userStatus.user.domain.id
  }
}
