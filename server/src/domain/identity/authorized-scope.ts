import type { Level, RequiredPermission } from '@muster/contract'
import { PlatformError } from '../error.ts'
import { allows, type Permission } from './policy.ts'
import type { Principal } from './principal.ts'
import type { AuthorizedScope, ScopeOrNone } from '../scope.ts'

/** The largest scope in which the principal's policies grant the permission. */
function findScope(principal: Principal, need: RequiredPermission): ScopeOrNone {
  const { scope, policies } = principal
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
  const self = need.at.includes('self') ? principal.token.userId : undefined
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
    throw principal.scope.kind === 'none' ? noScope() : notAllowed(need)
  }
  return authorizedScope
}

const noScope = () =>
  new PlatformError(
    'ForbiddenError',
    'Your token has no scope. Log in to a project or a domain in which you have a role.',
  )

const notAllowed = ({ service, resource, action }: Permission) =>
  new PlatformError(
    'ForbiddenError',
    `You need the permission "${action}" on "${service}.${resource}" in this scope.`,
    { values: { permission: action, resource } },
  )
