import type { OperationId } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { useMay } from './use-may.ts'
import { useSession } from './use-session.ts'

/** Whether something may be asked about this user: some rights are only for what is one's own. */
export function useMayOf(operation: OperationId, userId: string): ReturnType<typeof useMay> {
  const t = useMessages()
  const may = useMay(operation)
  const { permissions, user } = useSession()
  const reach = permissions.find((entry) => entry.operation === operation)?.reach
  if (reach !== 'self' || user.id === userId) return may
  return { allowed: false, reason: t.identity.onlyOwn }
}
