import { operations, type Operation, type PermissionView } from '@muster/contract'
import type { Principal } from './principal.ts'
import { findReach, type Reach } from './reach.ts'

const guarded: readonly Operation[] = operations

function levelOf({ extent, self }: Reach): PermissionView['reach'] {
  if (extent.kind !== 'nothing') return extent.kind
  return self === undefined ? null : 'self'
}

/** What a principal may do, operation by operation, decided as each operation decides it. */
export const listPermissions = (principal: Principal): readonly PermissionView[] =>
  guarded.flatMap(({ id, needs }) => {
    if (!needs) return []
    const { service, resource, action } = needs
    return [
      { operation: id, service, resource, action, reach: levelOf(findReach(principal, needs)) },
    ]
  })
