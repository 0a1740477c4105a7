import { createAuditEvent } from '../identity/create-audit-event.ts'
import type { EventStore } from '../audit/event-store.ts'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { Clock } from '../clock.ts'
import type { FindServer } from '../inventory/get-server.ts'
import { withReadScope } from '../inventory/with-read-scope.ts'
import type { ServerWriter } from '../inventory/ports.ts'
import { covers } from '../scope.ts'
import type { SyncClient } from './sync-client.ts'
import type { AccountStore } from './ports.ts'
import { referenceOf } from './server-reference.ts'

interface Dependencies {
  readonly findServer: FindServer
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly accounts: AccountStore
  readonly syncClient: SyncClient
  readonly events: Pick<EventStore, 'record'>
  readonly clock: Clock
}

/** Reads one server from its source now. */
export function createRefreshServer(dependencies: Dependencies) {
  const { findServer, serverWriter, accounts, syncClient, events, clock } = dependencies
  /** Returns the server's id, and whether the refresh has finished. */
  return async function refreshServer(
    caller: Caller,
    idOrName: string,
  ): Promise<{ readonly id: string; readonly isFresh: boolean }> {
    const { parts } = await findServer(withReadScope(caller), idOrName)
    if (!covers(caller.authorizedScope.scope, parts)) {
      throw new PlatformError(
        'ForbiddenError',
        'You need the permission "perform" on "compute.servers" in this scope.',
      )
    }
    const { id } = parts
    const server = (await serverWriter.findStored([id])).get(id)?.server
    const attached = server && (await accounts.find(server.account_id))
    if (!server || !attached || !attached.account.enabled || server.deleted) {
      throw new PlatformError(
        'InvalidStatusError',
        'The server cannot be synced: it is deleted, or its cloud account is disabled or deleted.',
      )
    }
    const scope = { kind: 'project', projectId: parts.projectId, domainId: parts.domainId } as const
    const auditedAction = {
      action: 'sync',
      targetType: 'server',
      targetId: id,
      targetName: server.name,
      scope,
    }
    await events.record(createAuditEvent(caller, auditedAction, clock))
    const reference = referenceOf(server)
    return { id, isFresh: await syncClient.refresh(attached.account.id, id, reference) }
  }
}
export type RefreshServer = ReturnType<typeof createRefreshServer>
