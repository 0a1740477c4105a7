import type { Level, RequiredPermission } from '@muster/contract'
import { PlatformError } from '../error.ts'
import { permits, permitsOwn, restrictionOf } from './access-key/key-restriction.ts'
import { allows, type Permission } from './policy.ts'
import type { Principal } from './principal.ts'
import type { AuthorizedScope, ScopeOrNone } from '../scope.ts'

/** The largest scope in which the principal's policies grant the permission. */
function findScope(principal: Principal, need: RequiredPermission): ScopeOrNone {
  const { scope, policies, token } = principal
  if (!permits(restrictionOf(token), need)) return { kind: 'none' }
  const counts = (level: Level) => need.at.includes(level) && allows(policies[level], need)
  if (counts('system')) return { kind: 'system' }
  if (scope.kind === 'domain' && counts('domain')) {
    return { kind: 'domain', domainId: scope.domain.id }
  }
  if (scope.kind === 'project' && counts('project')) {
    const { id, domain } = scope.project
    return { kind: 'project', projectId: id, domainId: domain.id }
  }
  return { kind: 'none' }
}

export function findAuthorizedScope(
  principal: Principal,
  need: RequiredPermission,
): AuthorizedScope {
  const isOwn = need.at.includes('self') && permitsOwn(restrictionOf(principal.token), need)
  const self = isOwn ? principal.token.userId : undefined
  return { scope: findScope(principal, need), self }
}

/**
 * The scope of the permission, or a 403 that names what is missing. Every route with a permission
 * calls this.
 */
export function requireAuthorizedScope(
  principal: Principal,
  need: RequiredPermission,
): AuthorizedScope {
  const authorizedScope = findAuthorizedScope(principal, need)
  if (authorizedScope.scope.kind === 'none' && authorizedScope.self === undefined) {
    if (!permits(restrictionOf(principal.token), need)) throw isRestricted(need)
    throw principal.scope.kind === 'none' ? noScope() : notAllowed(need)
  }
  return authorizedScope
}

const noScope = () =>
  new PlatformError(
    'ForbiddenError',
    'Your token has no scope. Log in to a project or a domain in which you have a role.',
  )

const isRestricted = ({ service, resource, action }: Permission) =>
  new PlatformError(
    'ForbiddenError',
    `The access key of your token is restricted: it does not allow "${action}" on "${service}.${resource}". Use another key.`,
    { values: { permission: action, resource } },
  )

const notAllowed = ({ service, resource, action }: Permission) =>
  new PlatformError(
    'ForbiddenError',
    `You need the permission "${action}" on "${service}.${resource}" in this scope.`,
    { values: { permission: action, resource } },
  )
