import {
  batches,
  tasks as taskResource,
  type Batch,
  type BatchDetails,
  type Task,
  type ScopeParameter,
} from '@muster/contract'
import type { Clock } from '../clock.ts'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import { chooseScope, narrowScope } from '../identity/choose-scope.ts'
import { requesterOf } from '../identity/requester-of.ts'
import type { FindServer } from '../inventory/get-server.ts'
import type { ServerWriter } from '../inventory/ports.ts'
import { allOf, oneOf } from '../query/conditions.ts'
import type { ListQuery } from '../query/list-query.ts'
import { queryFieldsOf, type QueryFields } from '../query/query-fields.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'
import { covers, includes, type Scope, type ScopeOrNone } from '../scope.ts'
import { describeBatch, describeRefusals, describeTask } from './describe-task.ts'
import { endTask } from './end-task.ts'
import { notPermitted, scopeOfAction } from './action-permissions.ts'
import type { TaskStore } from './ports.ts'
import { isUntouched } from './task-state.ts'
import { cancelled, isFinished, type BatchRecord, type TaskRecord } from './task.ts'

/** What the lists can be filtered and sorted by. */
export const taskFields: QueryFields<string> = queryFieldsOf(taskResource)
export const batchFields: QueryFields<string> = queryFieldsOf(batches)

interface Dependencies {
  readonly tasks: TaskStore
  readonly findServer: FindServer
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly clock: Clock
}

const taskNotFound = () => new PlatformError('ResourceNotFoundError', 'Task not found.')
const batchNotFound = () => new PlatformError('ResourceNotFoundError', 'Batch not found.')

const ownerOf = ({ project_id, domain_id }: Pick<TaskRecord, 'project_id' | 'domain_id'>) => ({
  projectId: project_id,
  domainId: domain_id,
})

/** The scope of the token that made a batch. */
function scopeOfBatch({ project_id, domain_id }: BatchRecord): Scope {
  if (project_id !== '') return { kind: 'project', projectId: project_id, domainId: domain_id }
  return domain_id === '' ? { kind: 'system' } : { kind: 'domain', domainId: domain_id }
}

/** The use cases of tasks and batches: list, get and cancel. */
export function createTaskUseCases({ tasks, findServer, serverWriter, clock }: Dependencies) {
  const scopeOf = (
    { principal, authorizedScope }: Caller,
    wanted: ScopeParameter | undefined,
  ): ScopeOrNone => chooseScope(principal, authorizedScope.scope, wanted ?? 'max')

  async function requireTask(caller: Caller, id: string, scope?: ScopeParameter) {
    const task = await tasks.find(id)
    if (!task || !covers(scopeOf(caller, scope), ownerOf(task))) throw taskNotFound()
    return task
  }

  async function requireBatch(caller: Caller, id: string, scope?: ScopeParameter) {
    const batch = await tasks.findBatch(id)
    if (!batch || !includes(scopeOf(caller, scope), scopeOfBatch(batch))) throw batchNotFound()
    return batch
  }

  async function showBatches(records: readonly BatchRecord[]): Promise<Batch[]> {
    const counts = await tasks.countBatches(records.map(({ id }) => id))
    return records.flatMap((batch) => {
      const counted = counts.get(batch.id)
      return counted ? [describeBatch(batch, counted)] : []
    })
  }

  const showBatch = async (batch: BatchRecord): Promise<BatchDetails> => ({
    ...((await showBatches([batch]))[0] as Batch),
    refusals: describeRefusals(await tasks.refusedIds(batch.id)),
  })

  /** Where the caller may see deleted servers. */
  const deletedScope = (caller: Caller) => scopeOfAction(caller, 'delete')

  /** A task without the name of a deleted server, unless the caller may see deleted servers. */
  async function showTask(caller: Caller, task: TaskRecord): Promise<Task> {
    const isVisible =
      covers(deletedScope(caller), ownerOf(task)) ||
      (await tasks.liveServers([task.server_id])).has(task.server_id)
    return describeTask(isVisible ? task : { ...task, server: '' })
  }

  const listTasks = async (caller: Caller, query: ListQuery<string>) => {
    const { scope } = narrowScope(caller, query.scope)
    const { items, ...page } = await tasks.list(
      scope,
      query,
      requesterOf(caller),
      deletedScope(caller),
    )
    return { ...page, items: items.map(describeTask) }
  }

  /** Undefined if the task or its server changed meanwhile. */
  async function cancelOnce(caller: Caller, id: string): Promise<TaskRecord | undefined> {
    const task = await requireTask(caller, id)
    if (!covers(scopeOfAction(caller, task.action), ownerOf(task))) throw notPermitted(task.action)
    if (isFinished(task)) {
      throw new PlatformError('InvalidStatusError', `The task has ended: ${task.status}.`)
    }
    if (!isUntouched(task)) {
      throw new PlatformError(
        'InvalidStatusError',
        'The request was sent to the source and cannot be taken back. Wait for the end of the task.',
      )
    }
    const { user } = caller.principal.userStatus
    const end = cancelled(`Cancelled by ${user.name}.`)
    const stored = (await serverWriter.findStored([task.server_id])).get(task.server_id)
    const { changes, commit } = endTask(task, end, stored, clock())
    // The event of the task names who asked for it; this one names who cancelled it.
    const event = createAuditEvent(
      caller,
      {
        action: 'cancel',
        targetType: 'task',
        targetId: task.id,
        targetName: task.action,
        scope: { kind: 'project', ...ownerOf(task) },
        changes: { status: [task.status, 'cancelled'], server_id: [null, task.server_id] },
      },
      clock,
    )
    const told = { ...commit, events: [...(commit.events ?? []), event] }
    const isChanged = await tasks.change(task, changes, told, { isUnsent: true })
    return isChanged ? { ...task, ...changes } : undefined
  }

  return {
    listTasks,

    async listServerTasks(caller: Caller, idOrName: string, query: ListQuery<string>) {
      const { parts } = await findServer(caller, idOrName, query.scope)
      const where = allOf([oneOf('server_id', [parts.id]), query.where])
      return await listTasks(caller, { ...query, where })
    },

    async getTask(caller: Caller, id: string, scope?: ScopeParameter): Promise<Task> {
      return await showTask(caller, await requireTask(caller, id, scope))
    },

    async cancelTask(caller: Caller, id: string): Promise<Task> {
      return await showTask(caller, await retryOnConflict(() => cancelOnce(caller, id)))
    },

    async listBatches(caller: Caller, query: ListQuery<string>) {
      const { scope } = narrowScope(caller, query.scope)
      const { items, ...page } = await tasks.listBatches(scope, query, requesterOf(caller))
      return { ...page, items: await showBatches(items) }
    },

    async getBatch(caller: Caller, id: string, scope?: ScopeParameter): Promise<BatchDetails> {
      return await showBatch(await requireBatch(caller, id, scope))
    },

    async cancelBatch(caller: Caller, id: string): Promise<BatchDetails> {
      const batch = await requireBatch(caller, id)
      if (!includes(scopeOfAction(caller, batch.action), scopeOfBatch(batch))) {
        throw notPermitted(batch.action)
      }
      if (batch.finished_at !== null) {
        throw new PlatformError('InvalidStatusError', `The batch has ended: ${batch.status}.`)
      }
      const { user } = caller.principal.userStatus
      const event = createAuditEvent(
        caller,
        {
          action: 'cancel',
          targetType: 'batch',
          targetId: batch.id,
          targetName: batch.action,
          scope: scopeOfBatch(batch),
          changes: { status: [batch.status, 'cancelled'] },
        },
        clock,
      )
      await tasks.cancelBatch(id, clock(), `The batch was cancelled by ${user.name}.`, event)
      return await showBatch(await requireBatch(caller, id))
    },
  }
}
export type TaskUseCases = ReturnType<typeof createTaskUseCases>
