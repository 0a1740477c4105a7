import type { Caller } from '../identity/caller.ts'
import { findAuthorizedScope } from '../identity/authorized-scope.ts'

/** What somebody sees and may not change is forbidden to them; only what they do not see is not there. */
export function asReader(caller: Caller): Caller {
  const authorizedScope = findAuthorizedScope(caller.principal, { ...caller.need, action: 'get' })
  return authorizedScope.scope.kind === 'none' ? caller : { ...caller, authorizedScope }
}
