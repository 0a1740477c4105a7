import type { serverActionOperations, ServerAction, taskOperations } from '@muster/contract'
import type { Caller } from '../../domain/identity/caller.ts'
import type { GetServer } from '../../domain/inventory/get-server.ts'
import { withReadScope } from '../../domain/inventory/with-read-scope.ts'
import { readListQuery } from '../../domain/query/read-list-query.ts'
import { batchFields, taskFields, type TaskUseCases } from '../../domain/tasks/administer-tasks.ts'
import type { BatchUseCases } from '../../domain/tasks/create-batch.ts'
import type { GetServerActions } from '../../domain/tasks/get-server-actions.ts'
import type { PerformAction } from '../../domain/tasks/perform-action.ts'
import { answerPlatformPage } from '../platform-list.ts'
import type { HandlersFor } from '../register-operations.ts'

export interface TaskHandlerUseCases extends TaskUseCases, BatchUseCases {
  /** How long servers stay in the recycle bin, in milliseconds; 0 if there is none. */
  readonly recycleFor: number
  readonly performAction: PerformAction
  readonly getServerActions: GetServerActions
  readonly getServer: GetServer
}

interface ActionCall {
  readonly caller: Caller
  readonly url: string
  readonly parameters: { readonly id: string }
  readonly headers: {
    readonly 'idempotency-key'?: string
    readonly 'if-match'?: string
  }
}

/** Handlers for actions on servers. */
export function createActionHandlers(
  useCases: TaskHandlerUseCases,
  { baseUrl }: { readonly baseUrl: string },
): HandlersFor<typeof serverActionOperations> {
  async function perform(
    { caller, url, parameters, headers }: ActionCall,
    method: string,
    action: ServerAction,
    given: object,
  ) {
    const { serverId, taskId } = await useCases.performAction(
      caller,
      parameters.id,
      action,
      given,
      {
        key: headers['idempotency-key'],
        ifMatch: headers['if-match'],
        method,
        path: url,
        body: given,
      },
    )
    const { body } = await useCases.getServer(withReadScope(caller), serverId)
    return {
      status: 200,
      body: [body],
      ...(taskId !== undefined && {
        headers: { 'X-Task-Id': taskId, Location: `${baseUrl}/tasks/${taskId}` },
      }),
    }
  }

  const post =
    (action: ServerAction) =>
    (call: ActionCall & { readonly body: { readonly server?: object } }) =>
      perform(call, 'POST', action, call.body.server ?? {})

  return {
    startServer: post('start'),
    stopServer: post('stop'),
    restartServer: post('restart'),
    resetServer: post('reset'),
    suspendServer: post('suspend'),
    resumeServer: post('resume'),
    changeServerConfig: post('change-config'),
    cancelServerDeletion: post('cancel-delete'),
    purgeServer: post('purge'),
    updateServer: (call) => perform(call, 'PUT', 'update', call.body.server),
    deleteServer: (call) => perform(call, 'DELETE', 'delete', call.query),
    async getServerActions({ caller, parameters, query }) {
      const actions = await useCases.getServerActions(caller, parameters.id, query.scope)
      return { status: 200, body: { actions } }
    },
  }
}

/** Handlers for tasks and batches. */
export const createTaskHandlers = (
  useCases: TaskHandlerUseCases,
  { baseUrl }: { readonly baseUrl: string },
): HandlersFor<typeof taskOperations> => ({
  getRecycleBin: () => ({
    status: 200,
    body: { recycle_bin: { retention: useCases.recycleFor / 1_000 } },
  }),

  async listTasks({ caller, query, url }) {
    const listQuery = readListQuery(taskFields, query, 'created_at')
    const page = await useCases.listTasks(caller, listQuery)
    return await answerPlatformPage('tasks', page, listQuery, baseUrl + url)
  },

  async getTask({ caller, parameters, query }) {
    return {
      status: 200,
      body: { task: await useCases.getTask(caller, parameters.id, query.scope) },
    }
  },

  async listServerTasks({ caller, parameters, query, url }) {
    const listQuery = readListQuery(taskFields, query, 'created_at')
    const page = await useCases.listServerTasks(caller, parameters.id, listQuery)
    return await answerPlatformPage('tasks', page, listQuery, baseUrl + url)
  },

  async cancelTask({ caller, parameters }) {
    return { status: 200, body: { task: await useCases.cancelTask(caller, parameters.id) } }
  },

  async createBatch({ caller, url, headers, query, body }) {
    const request = { key: headers['idempotency-key'], method: 'POST', path: url, body }
    const result = await useCases.createBatch(caller, body.batch, request, query.scope)
    return 'preview' in result
      ? { status: 200, body: { batch: result.preview } }
      : {
          status: 202,
          body: result,
          headers: { Location: `${baseUrl}/batches/${result.batch.id}` },
        }
  },

  async listBatches({ caller, query, url }) {
    const listQuery = readListQuery(batchFields, query, 'created_at')
    const page = await useCases.listBatches(caller, listQuery)
    return await answerPlatformPage('batches', page, listQuery, baseUrl + url)
  },

  async getBatch({ caller, parameters, query }) {
    return {
      status: 200,
      body: { batch: await useCases.getBatch(caller, parameters.id, query.scope) },
    }
  },

  async cancelBatch({ caller, parameters }) {
    return { status: 200, body: { batch: await useCases.cancelBatch(caller, parameters.id) } }
  },
})
