import type { Level, RequiredPermission } from '@muster/contract'
import { PlatformError } from '../error.ts'
import { allows, type Permission } from './policy.ts'
import type { Principal } from './principal.ts'

/** The part of the world that a right covers. */
export type ScopeOrNone =
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly domainId: string }
  | { readonly kind: 'project'; readonly projectId: string; readonly domainId: string }
  | { readonly kind: 'none' }

/**
 * What a caller gets to see and touch in one operation. It is made from rows and the token, and
 * every query is narrowed by it: nothing in a request can widen it.
 */
export interface AuthorizedScope {
  readonly scope: ScopeOrNone
  /** The caller's own id, where what is the caller's own counts besides. */
  readonly self: string | undefined
}

/** The project or domain that a scope is of; undefined for one that is of neither. */
export function placeIdOf(scope: ScopeOrNone): string | undefined {
  if (scope.kind === 'project') return scope.projectId
  return scope.kind === 'domain' ? scope.domainId : undefined
}

/** For the platform's own look-ups, where no caller's rights are in question. */
export const everywhere: AuthorizedScope = { scope: { kind: 'system' }, self: undefined }

/** The widest level at which the principal's policies allow it. */
function findScope(principal: Principal, need: RequiredPermission): ScopeOrNone {
  const { scope, policies } = principal
  const counts = (level: Exclude<Level, 'self'>) =>
    need.at.includes(level) && allows(policies[level], need)
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

/** How far the principal may go, or the 403 that says what is missing. Every route that needs a right asks here. */
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
    'Your token has no scope: log in for a project or a domain in which you hold a role.',
  )

const notAllowed = ({ service, resource, action }: Permission) =>
  new PlatformError(
    'ForbiddenError',
    `Your roles do not allow "${action}" on "${resource}" of service "${service}" here.`,
  )
