import type { Caller } from '../identity/caller.ts'
import { findReach } from '../identity/reach.ts'

/** What somebody sees and may not change is forbidden to them; only what they do not see is not there. */
export function asReader(caller: Caller): Caller {
  const reach = findReach(caller.principal, { ...caller.need, action: 'get' })
  return reach.extent.kind === 'nothing' ? caller : { ...caller, reach }
}
