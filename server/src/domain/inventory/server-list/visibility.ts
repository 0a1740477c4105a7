import {
  levels,
  type PermissionLevel,
  type RequiredPermission,
  type ScopeParameter,
} from '@muster/contract'
import { PlatformError } from '../../error.ts'
import { chooseScope } from '../../identity/choose-scope.ts'
import type { Principal } from '../../identity/principal.ts'
import { findAuthorizedScope } from '../../identity/authorized-scope.ts'
import { includes, type ScopeOrNone } from '../../scope.ts'
import type { StateFilter } from './server-query.ts'

const permission = (
  action: RequiredPermission['action'],
  at: readonly PermissionLevel[] = levels,
): RequiredPermission => ({
  service: 'compute',
  resource: 'servers',
  action,
  at,
})

const permissions = {
  update: permission('update'),
  delete: permission('delete'),
  administer: permission('get', ['system', 'domain']),
}

/**
 * Tenant isolation: which servers a caller sees, and which of them the caller may change. It is made
 * from rows and the token; a request can only restrict it. Callers with equal visibility get the same
 * bytes.
 */
export interface Visibility {
  readonly scope: ScopeOrNone
  /** Where the caller may tag servers. */
  readonly updates: ScopeOrNone
  /** Where the caller may list the recycle bin and deleted servers. */
  readonly deletes: ScopeOrNone
  /** Where the caller sees the security group that the operator enforces. */
  readonly administers: ScopeOrNone
}

/** The visibility in the requested scope, within the scope of the caller's permission. */
export function findVisibility(
  principal: Principal,
  maxScope: ScopeOrNone,
  wanted: ScopeParameter | undefined,
): Visibility {
  const scopeOf = (need: RequiredPermission) => findAuthorizedScope(principal, need).scope
  return {
    scope: chooseScope(principal, maxScope, wanted),
    updates: scopeOf(permissions.update),
    deletes: scopeOf(permissions.delete),
    administers: scopeOf(permissions.administer),
  }
}

/** Only those who may delete servers may list the recycle bin and deleted servers. */
export function requireStateAccess(state: StateFilter, { scope, deletes }: Visibility): void {
  if (state !== 'live' && !includes(deletes, scope)) {
    throw new PlatformError(
      'ForbiddenError',
      'You need the permission "delete" on "compute.servers" in this scope to list the recycle bin and deleted servers.',
    )
  }
}
