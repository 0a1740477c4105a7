import type { OperationId, ScopeParameter } from '@muster/contract'
import { useSession } from './use-session.ts'

const widths = { self: 0, project: 1, domain: 2, system: 3 }

/** Whether the session's roles allow an operation with a given scope. */
export function useScopePermission(operation: OperationId): (scope: ScopeParameter) => boolean {
  const { permissions, scope: current } = useSession()
  const reach = permissions.find((entry) => entry.operation === operation)?.reach
  return (scope) => {
    if (scope === 'max') return true
    if (scope === 'project' && current.kind !== 'project') return false
    return reach !== null && reach !== undefined && widths[reach] >= widths[scope]
  }
}
