import { operations, type Operation, type PermissionDto } from '@muster/contract'
import type { Principal } from './principal.ts'
import { findAuthorizedScope } from './authorized-scope.ts'
import type { AuthorizedScope } from '../scope.ts'

const guarded: readonly Operation[] = operations

function levelOf({ scope, self }: AuthorizedScope): PermissionDto['reach'] {
  if (scope.kind !== 'none') return scope.kind
  return self === undefined ? null : 'self'
}

/** What a principal may do, for each operation, decided as the operation itself decides. */
export const listPermissions = (principal: Principal): readonly PermissionDto[] =>
  guarded.flatMap(({ id, permission }) => {
    if (!permission) return []
    const { service, resource, action } = permission
    return [
      {
        operation: id,
        service,
        resource,
        action,
        reach: levelOf(findAuthorizedScope(principal, permission)),
      },
    ]
  })
