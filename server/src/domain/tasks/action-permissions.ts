import {
  permissionOfAction,
  performedActions,
  type PerformedAction,
  type PolicyAction,
  type ServerAction,
} from '@muster/contract'
import { PlatformError } from '../error.ts'
import { findAuthorizedScope } from '../identity/authorized-scope.ts'
import type { Caller } from '../identity/caller.ts'
import type { ScopeOrNone } from '../scope.ts'

const isPerformed = (action: ServerAction): action is Exclude<PerformedAction, 'syncstatus'> =>
  performedActions.some((name) => name === action)

/** The permission that an action needs. */
export function permissionFor(action: ServerAction) {
  const policyAction: PolicyAction = isPerformed(action)
    ? `perform.${action}`
    : action === 'update'
      ? 'update'
      : 'delete'
  return permissionOfAction(policyAction)
}

export const notPermitted = (action: ServerAction) => {
  const need = permissionFor(action)
  return new PlatformError(
    'ForbiddenError',
    `You need the permission "${need.action}" on "compute.servers" in this scope.`,
    { values: { permission: need.action, resource: 'servers' } },
  )
}

/** In which scope the caller may perform an action. */
export const scopeOfAction = ({ principal }: Caller, action: ServerAction): ScopeOrNone =>
  findAuthorizedScope(principal, permissionFor(action)).scope
