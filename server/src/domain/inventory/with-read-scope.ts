import type { Caller } from '../identity/caller.ts'
import { findAuthorizedScope } from '../identity/authorized-scope.ts'

/**
 * The caller with the scope of its read permission. A resource that the caller can read but not
 * change is then a 403 rather than a 404.
 */
export function withReadScope(caller: Caller): Caller {
  const authorizedScope = findAuthorizedScope(caller.principal, { ...caller.need, action: 'get' })
  return authorizedScope.scope.kind === 'none' ? caller : { ...caller, authorizedScope }
}
