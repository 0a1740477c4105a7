import type { Level, Need } from '@muster/contract'
import { PlatformError } from '../error.ts'
import { allows, type Permission } from './policy.ts'
import type { Principal } from './principal.ts'

/** The part of the world that a right covers. */
export type Extent =
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly domainId: string }
  | { readonly kind: 'project'; readonly projectId: string; readonly domainId: string }
  | { readonly kind: 'nothing' }

/**
 * What a caller gets to see and touch in one operation. It is made from rows and the token, and
 * every query is narrowed by it: nothing in a request can widen it.
 */
export interface Reach {
  readonly extent: Extent
  /** The caller's own id, where what is the caller's own counts besides. */
  readonly self: string | undefined
}

/** The project or domain that an extent is of; undefined for one that is of neither. */
export function placeIdOf(extent: Extent): string | undefined {
  if (extent.kind === 'project') return extent.projectId
  return extent.kind === 'domain' ? extent.domainId : undefined
}

/** For the platform's own look-ups, where no caller's rights are in question. */
export const everywhere: Reach = { extent: { kind: 'system' }, self: undefined }

/** The widest level at which the principal's policies allow it. */
function findExtent(principal: Principal, need: Need): Extent {
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
  return { kind: 'nothing' }
}

export function findReach(principal: Principal, need: Need): Reach {
  const self = need.at.includes('self') ? principal.token.userId : undefined
  return { extent: findExtent(principal, need), self }
}

/** How far the principal may go, or the 403 that says what is missing. Every route that needs a right asks here. */
export function demandReach(principal: Principal, need: Need): Reach {
  const reach = findReach(principal, need)
  if (reach.extent.kind === 'nothing' && reach.self === undefined) {
    throw principal.scope.kind === 'none' ? noScope() : notAllowed(need)
  }
  return reach
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
