import type { PolicyScope } from '@muster/contract'
import type { Assignment, PolicyRecord, UserStatus, TokenRecord } from './records.ts'
import { assignmentsInScope, type GrantedScope } from './scope.ts'

/** A verified token with its user, scope and permissions. */
export interface Principal {
  readonly token: TokenRecord
  readonly userStatus: UserStatus
  readonly scope: GrantedScope
  /** The role assignments that apply in this scope. */
  readonly assignments: readonly Assignment[]
  readonly policies: Readonly<Record<PolicyScope, readonly PolicyRecord[]>>
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
  const within = (scope: PolicyScope) => distinct.filter((policy) => policy.scope === scope)
  return { system: within('system'), domain: within('domain'), project: within('project') }
}

type RolesInScope = Pick<Principal, 'scope' | 'assignments' | 'policies'>

// Cached by user status, which is read again after every change.
const rolesByStatus = new WeakMap<UserStatus, Map<string, RolesInScope>>()

/** The roles of a user in a scope: the same object for every token of that user and scope. */
function rolesInScope(scope: GrantedScope, userStatus: UserStatus): RolesInScope {
  const byScope = rolesByStatus.get(userStatus) ?? new Map<string, RolesInScope>()
  rolesByStatus.set(userStatus, byScope)
  const name = scopeName(scope)
  let held = byScope.get(name)
  if (!held) {
    const assignments = assignmentsInScope(scope, userStatus)
    held = { scope, assignments, policies: policiesByScope(assignments) }
    byScope.set(name, held)
  }
  return held
}

function scopeName(scope: GrantedScope): string {
  switch (scope.kind) {
    case 'none':
      return 'none'
    case 'domain':
      return `domain:${scope.domain.id}`
    case 'project':
      return `project:${scope.project.id}`
  }
}

export const createPrincipal = (
  token: TokenRecord,
  userStatus: UserStatus,
  scope: GrantedScope,
): Principal => ({ token, userStatus, ...rolesInScope(scope, userStatus) })

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
