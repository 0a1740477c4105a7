import type { Server } from '@muster/contract'
import type { StoredServer } from '../inventory/ports.ts'
import { ownNotesOf, settledStatus, withOwnNotes } from '../inventory/own-fields.ts'
import { taskEvent, writeServer } from './accept-task.ts'
import type { TaskCommit } from './ports.ts'
import type { TaskEnd, TaskRecord } from './task.ts'

interface Ending extends TaskEnd {
  /** Other changes of the server. */
  readonly changes?: Partial<Server>
}

/** The last failed action is noted until another action succeeds. A cancelled one changes nothing. */
function failureNote(task: TaskRecord, { status }: Ending): { failed_task?: string | undefined } {
  if (status === 'cancelled') return {}
  return { failed_task: status === 'succeeded' ? undefined : `${task.id} ${task.action}` }
}

/** The server without the task, with the status that its source last showed. */
function withoutTask({ server }: StoredServer, task: TaskRecord, end: Ending): Server {
  const notes = { task_id: undefined, settled_status: undefined, ...failureNote(task, end) }
  return { ...withOwnNotes(server, notes), status: settledStatus(server), ...end.changes }
}

/** The changes of a task that ends, and of the server that shows it. */
export function endTask(
  task: TaskRecord,
  end: Ending,
  stored: StoredServer | undefined,
  now: number,
): { readonly changes: Partial<TaskRecord>; readonly commit: TaskCommit } {
  const isShown = stored !== undefined && ownNotesOf(stored.server).task_id === task.id
  const server = isShown ? withoutTask(stored, task, end) : stored?.server
  const { status, error, error_class, error_values } = end
  const after = server === undefined || server.deleted ? 'deleted' : server.status
  const event = taskEvent(
    task,
    {
      task_status: [task.status, status],
      status: [task.status_before, after],
      ...(error !== '' && { error: [null, error] }),
    },
    status === 'succeeded' ? 'success' : 'failure',
    now,
  )
  return {
    changes: {
      status,
      error,
      error_class,
      error_values,
      finished_at: now,
      isShown: false,
      ...(status === 'succeeded' && { progress: 100 }),
    },
    commit: {
      events: [event],
      ...(isShown && server && { writes: [writeServer(stored, server, now)] }),
    },
  }
}
