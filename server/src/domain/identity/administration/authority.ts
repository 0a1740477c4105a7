import { policyActions, policyServices } from '@muster/contract'
import { PlatformError } from '../../error.ts'
import { allows, appliesTo, type Permission } from '../policy.ts'
import type { Principal } from '../principal.ts'
import type { AuthorizedScope, Scope } from '../../scope.ts'
import type { Assignment, PolicyRecord } from '../records.ts'

// Nobody can hand out what they do not have. A role may be given by who may do all that it allows,
// there; and taken by who may do all that it forbids, since taking a ban away is giving too.

/** Stands for every resource that no rule names. */
const anyOther = '*other'

/** Everything that these policies could be asked about without two questions coming to the same. */
function permissionsNamedBy(policies: readonly PolicyRecord[]): Permission[] {
  const named = policies.flatMap(({ rules }) => rules.map(({ resource }) => resource))
  const resources = [...new Set([...named.filter((resource) => resource !== '*'), anyOther])]
  return policyServices.flatMap((service) =>
    resources.flatMap((resource) => policyActions.map((action) => ({ service, resource, action }))),
  )
}

/** The principal's own policies that bite at a scope, level by level. */
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
 * Whether these policies allow it, or would if any one of those that are disabled were enabled:
 * somebody may enable it later. Only one at a time, since a second could just forbid it.
 */
function couldAllow(policies: readonly PolicyRecord[], permission: Permission): boolean {
  const enabled = policies.filter((policy) => policy.enabled)
  const sleeping = policies.filter((policy) => !policy.enabled)
  return (
    allows(enabled, permission) ||
    sleeping.some((policy) => allows([...enabled, { ...policy, enabled: true }], permission))
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
    (permission) => matters(permission) && !own.some((level) => allows(level, permission)),
  )
}

const tooMuch = (
  { service, resource, action }: Permission,
  what: string,
  effect: 'allows' | 'forbids',
) => {
  const thing = resource === anyOther ? 'everything' : `"${resource}"`
  return new PlatformError(
    'ForbiddenError',
    `You cannot ${what}: it ${effect} "${action}" on ${thing} of service "${service}", and you do not have this permission there.`,
  )
}

/** Throws unless the principal may do all that these policies allow at the scope. */
export function requireCanGrant(
  principal: Principal,
  scope: Scope,
  policies: readonly PolicyRecord[],
  what: string,
): void {
  const missing = findMissingPermission(principal, scope, policies, (permission) =>
    couldAllow(policies, permission),
  )
  if (missing) throw tooMuch(missing, what, 'allows')
}

/** Throws unless the principal may do all that these policies forbid at the scope. */
export function requireCanRevoke(
  principal: Principal,
  scope: Scope,
  policies: readonly PolicyRecord[],
  what: string,
): void {
  const bans = policies.flatMap(({ rules }) => rules.filter(({ effect }) => effect === 'deny'))
  const missing = findMissingPermission(principal, scope, policies, (permission) =>
    bans.some((rule) => appliesTo(rule, permission)),
  )
  if (missing) throw tooMuch(missing, what, 'forbids')
}

/** The policies of a role that bite at a scope of this kind. */
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

type Demand = typeof requireCanGrant

const forEach =
  (demand: Demand) =>
  (principal: Principal, assignments: readonly Assignment[], what: string): void => {
    for (const assignment of assignments) {
      const scope = scopeOf(assignment)
      demand(principal, scope, policiesInScope(scope, assignment.role.policies), what)
    }
  }

/** Throws unless the principal could grant all of these: what it takes to act in somebody's stead. */
export const requireCanGrantAll = forEach(requireCanGrant)

/** Throws unless the principal could take all of these. */
export const requireCanRevokeAll = forEach(requireCanRevoke)

/** Who has a hand in running the whole platform is not touched by who runs a part of it. */
export function requireNoSystemRole({ scope }: AuthorizedScope, held: readonly Assignment[]): void {
  const isAbove = held.some(({ target }) => target.kind === 'system')
  if (isAbove && scope.kind !== 'system') {
    throw new PlatformError(
      'ForbiddenError',
      'The user or group has a role on the system. Only system administrators can change it.',
    )
  }
}

/** An access key must not beget another way in: that would outlive its end and its revocation. */
export function refuseAccessKeyToken({ token }: Principal, what: string): void {
  if (token.accessKey === null) return
  throw new PlatformError('ForbiddenError', `A token from an access key login cannot ${what}.`)
}
