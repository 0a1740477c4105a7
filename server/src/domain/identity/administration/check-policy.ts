import {
  administrationNames,
  levels,
  operations,
  type RequiredPermission,
  type Operation,
  type PolicyCheckRequest,
  type PolicyCheckDto,
} from '@muster/contract'
import { badField } from '../../error.ts'
import { findDecidingRule, type Permission } from '../policy.ts'
import { supposePrincipal, type Principal } from '../principal.ts'
import { findAuthorizedScope } from '../authorized-scope.ts'
import { everywhere, type AuthorizedScope } from '../../scope.ts'
import type { UserStatus } from '../records.ts'
import { currentScope, type GrantedScope } from '../token-scope.ts'
import type { FindUserStatus } from '../user-status.ts'
import type { Caller } from '../caller.ts'
import { requireNoSystemRole } from './authority.ts'
import { requireReference } from './require-resource.ts'
import type { Registry } from './registry.ts'
import type { Holder, ResourceKind } from './resources.ts'

type PolicyCheck = PolicyCheckRequest['check']
type Explanation = NonNullable<PolicyCheckDto['decided_by']>

interface Dependencies {
  readonly registry: Registry
  readonly findUserStatus: FindUserStatus
}

const no = (reason: string): PolicyCheckDto => ({
  allowed: false,
  reason,
  reach: null,
  decided_by: null,
})

/**
 * Answers whether a user may do something, and by which rule, with the code that decides real
 * requests.
 */
export function createCheckPolicy({ registry, findUserStatus }: Dependencies) {
  return async function checkPolicy(
    { principal, authorizedScope }: Caller,
    check: PolicyCheck,
  ): Promise<PolicyCheckDto> {
    if (check.project_id !== undefined && check.domain_id !== undefined) {
      throw badField('check', 'must have either a project or a domain, not both')
    }
    const userId = check.user_id ?? principal.token.userId
    await requireReference(registry, 'users', userId, authorizedScope, 'check.user_id')
    const isOwn = userId === principal.token.userId
    if (!isOwn) await requireScope(check, authorizedScope)
    const userStatus = await findUserStatus(userId)
    if (!userStatus) return no('The user, or the domain of the user, is disabled or has expired.')
    const scope = findScope(check, userStatus)
    if (!scope) return no('The user holds no role in that scope, or it is disabled.')
    const subject = supposePrincipal(userStatus, scope)
    return await decideFor(subject, check, isOwn ? everywhere : authorizedScope)
  }

  /** Callers may check other users only in scopes that they can access themselves. */
  async function requireScope(
    { project_id, domain_id }: PolicyCheck,
    authorizedScope: AuthorizedScope,
  ): Promise<void> {
    if (project_id !== undefined) {
      await requireReference(registry, 'projects', project_id, authorizedScope, 'check.project_id')
    }
    if (domain_id !== undefined) {
      await requireReference(registry, 'domains', domain_id, authorizedScope, 'check.domain_id')
    }
  }

  async function decideFor(
    subject: Principal,
    check: PolicyCheck,
    visibleScope: AuthorizedScope,
  ): Promise<PolicyCheckDto> {
    const need = needOf(check)
    const found = findAuthorizedScope(subject, need)
    const level = found.scope.kind
    const explanation = explain(subject, check, level === 'none' ? undefined : level)
    const decided_by = explanation && (await hideInvisibleGroup(explanation, visibleScope))
    if (level === 'none' && found.self === undefined) {
      const reason = decided_by
        ? `The deciding rule denies it, or does not apply at the level "${decided_by.level}".`
        : 'No policy of the user in this scope has a matching rule.'
      return { allowed: false, reason, reach: null, decided_by }
    }
    const carries = level === 'none' ? 'self' : level
    const isWithin = (await coversTarget(found, check)) && (await coversTarget(visibleScope, check))
    const obstacle = isWithin
      ? await findObstacle(found, check)
      : `Allowed within "${carries}", but the target is outside of it.`
    return {
      allowed: obstacle === undefined,
      reason: obstacle ?? `Allowed within this scope: ${carries}.`,
      reach: carries,
      decided_by,
    }
  }

  /** Hides the group where the caller may not see it. */
  async function hideInvisibleGroup(
    explanation: Explanation,
    visibleScope: AuthorizedScope,
  ): Promise<Explanation> {
    const { group } = explanation
    const isHidden = group && !(await registry.find('groups', group.id, visibleScope))
    return isHidden ? { ...explanation, group: null } : explanation
  }

  /** The holder whose role assignments protect the target from changes, for kinds that have one. */
  async function findHolder({
    resource,
    target_id = '',
  }: PolicyCheck): Promise<Holder | undefined> {
    if (resource === 'users') return { kind: 'user', id: target_id }
    if (resource === 'groups') return { kind: 'group', id: target_id }
    if (resource !== 'credentials') return undefined
    const key = await registry.find('credentials', target_id, everywhere)
    return key && { kind: 'user', id: key.user_id }
  }

  /** What else prevents the change although a policy allows it. */
  async function findObstacle(
    authorizedScope: AuthorizedScope,
    check: PolicyCheck,
  ): Promise<string | undefined> {
    const { target_id, action, resource } = check
    if (target_id === undefined || (action !== 'update' && action !== 'delete')) return undefined
    const holder = await findHolder(check)
    if (!holder || holder.id === authorizedScope.self) return undefined
    if (resource === 'credentials') {
      const user = await registry.find('users', holder.id, everywhere)
      if (user && user.owner_id !== null && user.owner_id === authorizedScope.self) return undefined
    }
    try {
      requireNoSystemRole(authorizedScope, await registry.assignmentsOf(holder))
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  async function coversTarget(
    authorizedScope: AuthorizedScope,
    { resource, target_id }: PolicyCheck,
  ): Promise<boolean> {
    if (target_id === undefined) return true
    if (!isKind(resource)) {
      throw badField('check.target_id', `is not supported for the resource "${resource}"`)
    }
    return (await registry.find(resource, target_id, authorizedScope)) !== undefined
  }
}

const isKind = (resource: string): resource is ResourceKind =>
  Object.hasOwn(administrationNames, resource)

function findScope(
  { project_id, domain_id }: PolicyCheck,
  userStatus: UserStatus,
): GrantedScope | undefined {
  if (project_id !== undefined) return currentScope({ kind: 'project', id: project_id }, userStatus)
  if (domain_id !== undefined) return currentScope({ kind: 'domain', id: domain_id }, userStatus)
  return { kind: 'none' }
}

/**
 * The levels come from the contract. A permission that no operation requires counts at each level.
 */
function needOf({ service, resource, action }: Permission): RequiredPermission {
  const needs = (operations as readonly Operation[]).flatMap(({ permission: need }) => need ?? [])
  const same = needs.filter(
    (need) => need.service === service && need.resource === resource && need.action === action,
  )
  const at = same.length === 0 ? levels : [...new Set(same.flatMap((need) => need.at))]
  return { service, resource, action, at }
}

/**
 * The deciding rule of the level that applied, or else of the highest level with a matching rule.
 */
function explain(
  { policies, assignments }: Principal,
  permission: Permission,
  counted: (typeof levels)[number] | undefined,
): Explanation | null {
  const level =
    counted ??
    levels.find((candidate) => findDecidingRule(policies[candidate], permission) !== undefined)
  const decision = level && findDecidingRule(policies[level], permission)
  if (!level || !decision) return null
  const { policy, rule } = decision
  const source = assignments.find(
    ({ role, target }) => target.kind === level && role.policies.some(({ id }) => id === policy.id),
  )
  return {
    level,
    policy: { id: policy.id, name: policy.name },
    rule: rule as Explanation['rule'],
    role: { id: source?.role.id ?? '', name: source?.role.name ?? '' },
    group: source?.group ? { id: source.group.id, name: source.group.name } : null,
  }
}
