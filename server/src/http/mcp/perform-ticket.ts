import { setTimeout as pause } from 'node:timers/promises'
import type { Server, Task } from '@muster/contract'
import { PlatformError } from '../../domain/error.ts'
import type { ActionTicket, TicketServer } from '../../domain/tasks/action-tickets.ts'
import { operationOfAction } from './offered-actions.ts'
import { ApiFault } from './call-api.ts'
import type { ActingCall, ObjectSchema, ToolCaller } from './tool.ts'

const text = { type: 'string' }

export const performedSchema: ObjectSchema = {
  type: 'object',
  properties: {
    action: text,
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          server_id: text,
          server: text,
          outcome: { enum: ['task', 'done', 'refused'] },
          task_id: text,
          status: text,
          error: text,
        },
        required: ['server_id', 'server', 'outcome'],
        additionalProperties: false,
      },
    },
  },
  required: ['action', 'results'],
  additionalProperties: false,
}

interface Result {
  readonly server_id: string
  readonly server: string
  readonly outcome: 'task' | 'done' | 'refused'
  readonly task_id?: string
  readonly status?: string
  readonly error?: string
}

/** How long a call reports on its tasks. */
const maxReports = 60
const reportInterval = 1_000

export async function requireUnchanged(
  { servers }: ActionTicket,
  { api }: ToolCaller,
): Promise<void> {
  for (const { id, version } of servers) {
    const { body } = await api('getServer', { path: { id } })
    if ((body['server'] as Server).update_version === version) continue
    throw new PlatformError(
      'PreconditionFailedError',
      `Server ${id} has changed since the preview. Nothing was done. Ask for a new preview.`,
    )
  }
}

async function performOn(
  { id, name, version }: TicketServer,
  ticket: ActionTicket,
  { api }: ToolCaller,
): Promise<Result> {
  const named = { server_id: id, server: name }
  try {
    const { headers } = await api(operationOfAction(ticket.action), {
      path: { id },
      body: { server: ticket.params },
      headers: { 'if-match': `"v${version}"`, 'idempotency-key': `mcp-${ticket.id}-${id}` },
    })
    const taskId = headers['x-task-id']
    return typeof taskId === 'string'
      ? { ...named, outcome: 'task', task_id: taskId }
      : { ...named, outcome: 'done' }
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error
    return { ...named, outcome: 'refused', error: String(error.body['details']) }
  }
}

const isEnded = ({ finished_at }: Task): boolean => finished_at !== null

async function readTasks(results: readonly Result[], { api }: ToolCaller): Promise<Task[]> {
  const ids = results.flatMap(({ task_id: id }) => (id === undefined ? [] : [id]))
  if (ids.length === 0) return []
  const { body } = await api('listTasks', { query: { id: ids, limit: ids.length } })
  return body['tasks'] as Task[]
}

/** The tasks once they have ended. Only clients that want reports wait. */
async function followTasks(results: readonly Result[], caller: ActingCall): Promise<Task[]> {
  const { _meta, notify, signal } = caller.request
  const progressToken = _meta?.progressToken
  let tasks = await readTasks(results, caller)
  if (progressToken === undefined) return tasks
  for (let reports = 0; reports < maxReports && !tasks.every(isEnded); reports += 1) {
    await notify({
      method: 'notifications/progress',
      params: {
        progressToken,
        progress: reports,
        message: `${tasks.filter(isEnded).length} of ${tasks.length} tasks have ended`,
      },
    })
    await pause(reportInterval, undefined, { signal })
    tasks = await readTasks(results, caller)
  }
  return tasks
}

/** Performs the action of an accepted ticket: on the servers as they were in the preview, or not at all. */
export async function performTicket(ticket: ActionTicket, caller: ActingCall) {
  await requireUnchanged(ticket, caller)
  await caller.tickets.use(ticket)
  const results: Result[] = []
  for (const server of ticket.servers) results.push(await performOn(server, ticket, caller))
  const tasks = new Map((await followTasks(results, caller)).map((task) => [task.id, task]))
  return {
    action: ticket.action,
    results: results.map((result) => {
      const task = tasks.get(result.task_id ?? '')
      return { ...result, ...(task && { status: task.status, error: task.error }) }
    }),
  }
}
