import type { Server } from '@muster/contract'
import { usePermission } from '../../session/use-permission.ts'

/** Why tags cannot be edited; undefined if they can. */
export function useTagReason(server: Server): string | undefined {
  const { reason } = usePermission('mergeServerMetadata')
  return server.can_update ? undefined : (reason ?? server.update_fail_reason)
}
