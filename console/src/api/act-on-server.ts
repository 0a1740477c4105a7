import type { OperationId, Server, ServerAction, TaskParameters } from '@muster/contract'
import { api } from './client.ts'

/** The operation of each action. */
export const actionOperations = {
  start: 'startServer',
  stop: 'stopServer',
  restart: 'restartServer',
  reset: 'resetServer',
  suspend: 'suspendServer',
  resume: 'resumeServer',
  'change-config': 'changeServerConfig',
  update: 'updateServer',
  delete: 'deleteServer',
  'cancel-delete': 'cancelServerDeletion',
  purge: 'purgeServer',
} as const satisfies Record<ServerAction, OperationId>

interface ActionRequest {
  readonly action: ServerAction
  readonly id: string
  readonly params: TaskParameters
  /** A repeated request with the same key does not act again. */
  readonly key: string
}

/** Acts on a server. Without a task, nothing had to be done, or it was done at once. */
export async function actOnServer(
  request: ActionRequest,
): Promise<{ readonly server: Server; readonly taskId: string | undefined }> {
  const { action, id, params, key } = request
  const common = { parameters: { id }, headers: { 'idempotency-key': key } }
  const { body, headers } =
    action === 'delete'
      ? await api.request('deleteServer', { ...common, query: params })
      : // All others have a body of the same shape. The API checks the parameters.
        await api.request(actionOperations[action] as 'startServer', {
          ...common,
          body: { server: params },
        })
  return { server: body.server, taskId: headers.get('x-task-id') ?? undefined }
}
