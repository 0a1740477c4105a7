import type { OperationId } from '@muster/contract'
import { useAllMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useSession } from '../../session/use-session.ts'

/** Whether an operation is allowed for this user. Some permissions cover only oneself. */
export function useUserPermission(
  operation: OperationId,
  userId: string,
  ownerId: string | null = null,
): ReturnType<typeof usePermission> {
  const t = useAllMessages()
  const permission = usePermission(operation)
  const { permissions, user } = useSession()
  const reach = permissions.find((entry) => entry.operation === operation)?.reach
  if (reach !== 'self' || user.id === userId || user.id === ownerId) return permission
  return { allowed: false, reason: t.identity.onlyOwn }
}
