import type { Server } from '@muster/contract'
import { usePermission } from '../../session/use-permission.ts'

/** Why the caller may not tag this server; undefined where they may. The server itself knows best. */
export function useTagReason(server: Server): string | undefined {
  const { reason } = usePermission('mergeServerMetadata')
  return server.can_update ? undefined : (reason ?? server.update_fail_reason)
}
