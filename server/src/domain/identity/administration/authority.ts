import { policyActions, policyServices } from '@muster/contract'
import { PlatformError } from '../../error.ts'
import { permits, restrictionOf } from '../access-key/key-restriction.ts'
import { allows, appliesTo, type Permission } from '../policy.ts'
import type { Principal } from '../principal.ts'
import type { AuthorizedScope, Scope } from '../../scope.ts'
import type { Assignment, PolicyRecord } from '../records.ts'

// Nobody can grant what they do not have. To grant a role in a scope takes every permission that it
// allows there. To revoke one takes every permission that it denies, since that lifts the denial.

/** Stands for all resources that no rule names. */
const anyOther = '*other'

/** Every permission that these policies can distinguish. */
function permissionsNamedBy(policies: readonly PolicyRecord[]): Permission[] {
  const named = policies.flatMap(({ rules }) => rules.map(({ resource }) => resource))
  const resources = [...new Set([...named.filter((resource) => resource !== '*'), anyOther])]
  return policyServices.flatMap((service) =>
    resources.flatMap((resource) => policyActions.map((action) => ({ service, resource, action }))),
  )
}

/** The principal's policies that apply in a scope, by level. */
function policiesAt(
  { scope: own, policies }: Principal,
  scope: Scope,
): (readonly PolicyRecord[])[] {
  const levels = [policies.system]
  if (scope.kind === 'system') return levels
  if (own.kind === 'domain' && own.domain.id === scope.domainId) levels.push(policies.domain)
  const isOwnProject =
    own.kind === 'project' && scope.kind === 'project' && own.project.id === scope.projectId
  if (isOwnProject) levels.push(policies.project)
  return levels
}

/**
 * Whether these policies allow the permission, or would if one of the disabled ones were enabled,
 * which somebody may do later. One at a time, since a second one could deny it again.
 */
function couldAllow(policies: readonly PolicyRecord[], permission: Permission): boolean {
  const enabled = policies.filter((policy) => policy.enabled)
  const disabled = policies.filter((policy) => !policy.enabled)
  return (
    allows(enabled, permission) ||
    disabled.some((policy) => allows([...enabled, { ...policy, enabled: true }], permission))
  )
}

function findMissingPermission(
  principal: Principal,
  scope: Scope,
  policies: readonly PolicyRecord[],
  matters: (permission: Permission) => boolean,
): Permission | undefined {
  const own = policiesAt(principal, scope)
  return permissionsNamedBy([...policies, ...own.flat()]).find(
    (permission) =>
      matters(permission) &&
      !(
        permits(restrictionOf(principal.token), permission) &&
        own.some((level) => allows(level, permission))
      ),
  )
}

const lacksPermission = (
  { service, resource, action }: Permission,
  what: string,
  effect: 'allows' | 'forbids',
) => {
  const object = resource === anyOther ? 'everything' : `"${resource}"`
  return new PlatformError(
    'ForbiddenError',
    `You cannot ${what}: it ${effect} "${action}" on ${object} of service "${service}", and you do not have this permission there.`,
  )
}

/** Throws unless the principal has every permission that these policies allow in the scope. */
export function requireCanGrant(
  principal: Principal,
  scope: Scope,
  policies: readonly PolicyRecord[],
  what: string,
): void {
  const missing = findMissingPermission(principal, scope, policies, (permission) =>
    couldAllow(policies, permission),
  )
  if (missing) throw lacksPermission(missing, what, 'allows')
}

/** Throws unless the principal has every permission that these policies deny in the scope. */
export function requireCanRevoke(
  principal: Principal,
  scope: Scope,
  policies: readonly PolicyRecord[],
  what: string,
): void {
  const denials = policies.flatMap(({ rules }) => rules.filter(({ effect }) => effect === 'deny'))
  const missing = findMissingPermission(principal, scope, policies, (permission) =>
    denials.some((rule) => appliesTo(rule, permission)),
  )
  if (missing) throw lacksPermission(missing, what, 'forbids')
}

/** The policies of a role that apply in a scope of this kind. */
export const policiesInScope = (
  scope: Pick<Scope, 'kind'>,
  policies: readonly PolicyRecord[],
): PolicyRecord[] => policies.filter((policy) => policy.scope === scope.kind)

export function scopeOf({ target }: Assignment): Scope {
  switch (target.kind) {
    case 'system':
      return target
    case 'domain':
      return { kind: 'domain', domainId: target.domain.id }
    case 'project':
      return {
        kind: 'project',
        projectId: target.project.id,
        domainId: target.project.domain.id,
      }
  }
}

type Requirement = typeof requireCanGrant

const forEach =
  (requirement: Requirement) =>
  (principal: Principal, assignments: readonly Assignment[], what: string): void => {
    for (const assignment of assignments) {
      const scope = scopeOf(assignment)
      requirement(principal, scope, policiesInScope(scope, assignment.role.policies), what)
    }
  }

/**
 * Throws unless the principal could grant all of these: required for whoever can act as their
 * holder.
 */
export const requireCanGrantAll = forEach(requireCanGrant)

/** Throws unless the principal could revoke all of these. */
export const requireCanRevokeAll = forEach(requireCanRevoke)

/** Only administrators of the system may change users and groups that hold a role on the system. */
export function requireNoSystemRole({ scope }: AuthorizedScope, held: readonly Assignment[]): void {
  const isAbove = held.some(({ target }) => target.kind === 'system')
  if (isAbove && scope.kind !== 'system') {
    throw new PlatformError(
      'ForbiddenError',
      'The user or group has a role on the system. Only system administrators can change it.',
    )
  }
}

/**
 * A leaked access key must not create another credential: that one would survive its revocation.
 */
export function refuseAccessKeyToken({ token }: Principal, what: string): void {
  if (token.accessKey === null) return
  throw new PlatformError('ForbiddenError', `A token from an access key login cannot ${what}.`)
}

/** A login of somebody else would have no restriction, and would outlive the key. */
export function refuseRestrictedKey({ token }: Principal, what: string): void {
  if (restrictionOf(token) === null) return
  throw new PlatformError('ForbiddenError', `A token of a restricted access key cannot ${what}.`)
}
