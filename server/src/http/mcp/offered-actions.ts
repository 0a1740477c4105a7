import { serverActions, type OperationId, type ServerAction } from '@muster/contract'

/** The operation of each action that assistants can perform. Deletion is not offered. */
const operations: Partial<Record<ServerAction, OperationId>> = {
  start: 'startServer',
  stop: 'stopServer',
  restart: 'restartServer',
  reset: 'resetServer',
  suspend: 'suspendServer',
  resume: 'resumeServer',
  'change-config': 'changeServerConfig',
  update: 'updateServer',
  'cancel-delete': 'cancelServerDeletion',
}

export const offeredActions = serverActions.filter((action) => action in operations)

export function operationOfAction(action: ServerAction): OperationId {
  const operation = operations[action]
  if (!operation) throw new Error(`${action} is not offered to assistants`)
  return operation
}
