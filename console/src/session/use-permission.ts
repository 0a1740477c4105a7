import type { OperationId } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { roleText } from './role-text.ts'
import { useSession } from './use-session.ts'

interface Permission {
  readonly allowed: boolean
  /** The `disabledReason`; undefined if allowed. */
  readonly reason: string | undefined
}

/** Whether the session's roles allow operations. Only for the user interface: the API checks again. */
export function usePermissions(): (operation: OperationId) => Permission {
  const t = useMessages()
  const { permissions, roles } = useSession()
  return (operation) => {
    const permission = permissions.find((entry) => entry.operation === operation)
    // Operations that need no permission are not listed.
    if (!permission || permission.reach !== null) return { allowed: true, reason: undefined }
    const { action, resource } = permission
    const names = roles.map((role) => roleText(t, role).label).join(', ')
    return {
      allowed: false,
      reason: t.session.notAllowed(
        t.session.actions[action],
        t.session.resources[resource] ?? resource,
        names,
      ),
    }
  }
}

export const usePermission = (operation: OperationId): Permission => usePermissions()(operation)
