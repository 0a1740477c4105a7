import type { OperationId } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { usePermission } from './use-permission.ts'
import { useSession } from './use-session.ts'

/** Whether something may be asked about this user: some rights are only for what is one's own. */
export function useUserPermission(
  operation: OperationId,
  userId: string,
): ReturnType<typeof usePermission> {
  const t = useMessages()
  const permission = usePermission(operation)
  const { permissions, user } = useSession()
  const reach = permissions.find((entry) => entry.operation === operation)?.reach
  if (reach !== 'self' || user.id === userId) return permission
  return { allowed: false, reason: t.identity.onlyOwn }
}
