import type { OperationId } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { useSession } from './use-session.ts'

interface Permission {
  readonly allowed: boolean
  /** Why not, for a `disabledReason`; undefined where it is allowed. */
  readonly reason: string | undefined
}

/** Whether the session's roles allow an operation here. The API decides again; this only says so in advance. */
export function usePermission(operation: OperationId): Permission {
  const t = useMessages()
  const { permissions, roles } = useSession()
  const permission = permissions.find((entry) => entry.operation === operation)
  // What the contract asks no right for is not in the list.
  if (!permission || permission.reach !== null) return { allowed: true, reason: undefined }
  const { action, resource } = permission
  const names = roles.map(({ name }) => name).join(', ')
  return {
    allowed: false,
    reason: t.session.notAllowed(t.session.actions[action], resource, names),
  }
}
