import type { Server } from '@muster/contract'
import type { StoredServer } from '../inventory/ports.ts'
import { ownNotesOf, settledStatus, withOwnNotes } from '../inventory/own-fields.ts'
import { taskEvent, writeServer } from './accept-task.ts'
import type { TaskCommit } from './ports.ts'
import type { TaskRecord } from './task.ts'

interface TaskEnd {
  readonly status: Extract<TaskRecord['status'], 'succeeded' | 'failed' | 'cancelled' | 'unknown'>
  readonly error: string
  /** Shown until the source is read again. */
  readonly failedStatus?: string
  /** Other changes of the server. */
  readonly changes?: Partial<Server>
}

/** The server without the task: with the status that its source last showed, or that of the failure. */
function withoutTask(stored: StoredServer, task: TaskRecord, end: TaskEnd): Server {
  const { server } = stored
  const status = settledStatus(server)
  const { failedStatus: failed } = end
  const notes = { task_id: undefined, settled_status: failed === undefined ? undefined : status }
  return { ...withOwnNotes(server, notes), status: failed ?? status, ...end.changes }
}

/** The changes of a task that ends, and of the server that shows it. */
export function endTask(
  task: TaskRecord,
  end: TaskEnd,
  stored: StoredServer | undefined,
  now: number,
): { readonly changes: Partial<TaskRecord>; readonly commit: TaskCommit } {
  const isShown = stored !== undefined && ownNotesOf(stored.server).task_id === task.id
  const server = isShown ? withoutTask(stored, task, end) : stored?.server
  const { status, error, failedStatus: failed } = end
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
      finished_at: now,
      isShown: false,
      ...(status === 'succeeded' && { progress: 100 }),
    },
    commit: {
      events: [event],
      ...(isShown &&
        server && {
          writes: [
            // After a failure the next report is written, even if the source says what it said before.
            writeServer(stored, server, now, failed === undefined ? stored.factsDigest : ''),
          ],
        }),
    },
  }
}
