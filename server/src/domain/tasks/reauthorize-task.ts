import { findAuthorizedScope } from '../identity/authorized-scope.ts'
import type { AccessKeyStore, Directory } from '../identity/ports.ts'
import { supposePrincipal } from '../identity/principal.ts'
import type { AccessKeyUse } from '../identity/records.ts'
import { currentScope } from '../identity/token-scope.ts'
import { isActive } from '../identity/user-status.ts'
import type { StoredServer } from '../inventory/ports.ts'
import { covers } from '../scope.ts'
import { permissionFor } from './action-permissions.ts'
import type { TaskRecord } from './task.ts'

interface Dependencies {
  readonly directory: Pick<Directory, 'loadUserStatus'>
  readonly accessKeys: AccessKeyStore
  readonly clock: () => number
}

/** Checks the permission again when a task starts: it may have waited for long. Returns why it must not start. */
export function createReauthorizeTask({ directory, accessKeys, clock }: Dependencies) {
  async function findUsableKey(accessKeyId: string): Promise<AccessKeyUse | undefined> {
    const key = await accessKeys.find(accessKeyId)
    return key?.enabled && (key.expiresAt ?? Infinity) > clock() ? key : undefined
  }

  return async function reauthorizeTask(
    task: TaskRecord,
    { server }: Pick<StoredServer, 'server'>,
  ): Promise<string | undefined> {
    if (server.project_id !== task.project_id) {
      return 'The server was moved to another project after the task was accepted.'
    }
    // Muster's own tasks, such as the end of the time in the recycle bin.
    if (task.user_id === '') return undefined
    const userStatus = await directory.loadUserStatus(task.user_id)
    if (!userStatus || !isActive(userStatus, clock())) {
      return 'The user who requested it is disabled or deleted.'
    }
    const accessKey = task.access_key_id === '' ? null : await findUsableKey(task.access_key_id)
    if (accessKey === undefined) {
      return 'The access key that requested it is disabled, expired or deleted.'
    }
    const scope = currentScope(task.caller_scope, userStatus)
    const allowed =
      scope &&
      findAuthorizedScope(
        supposePrincipal(userStatus, scope, accessKey),
        permissionFor(task.action),
      ).scope
    const owner = { projectId: server.project_id, domainId: server.domain_id }
    if (allowed && covers(allowed, owner)) return undefined
    return 'The user who requested it no longer has the permission.'
  }
}
export type ReauthorizeTask = ReturnType<typeof createReauthorizeTask>
