import type { StoredServer } from '../inventory/ports.ts'
import { ownNotesOf, settledStatus } from '../inventory/own-fields.ts'
import { createTask } from './accept-task.ts'
import type { TaskEnd, TaskRecord } from './task.ts'

/**
 * Errors of a source that has asked the guest to shut down. Without an answer, the guest may still be
 * running, and a start would be unwanted.
 */
const classes: ReadonlySet<string> = new Set(['guest_did_not_stop', 'source_failed'])

/** A restart that has failed while its guest may still shut down. It must not end as a stop. */
export const mayStopLater = (
  { action, plan, step, sends }: TaskRecord,
  { status, error_class }: TaskEnd,
): boolean =>
  action === 'restart' &&
  status === 'failed' &&
  classes.has(error_class) &&
  sends > 0 &&
  plan[step]?.call.kind === 'stop'

/** The task that starts the server again, if its guest has shut down by now. */
export function decideLateRestart(
  task: TaskRecord,
  stored: StoredServer | undefined,
  now: number,
  limit: number,
): 'wait' | 'end' | TaskRecord {
  if (!stored || now >= (task.finished_at ?? 0) + limit) return 'end'
  const { server } = stored
  const { failed_task, task_id } = ownNotesOf(server)
  // Another action has ended since.
  const isLast = failed_task === `${task.id} ${task.action}`
  if (!isLast || server.deleted || server.pending_deleted) return 'end'
  if (task_id !== undefined || settledStatus(server) !== 'ready') return 'wait'
  const { user_id, user, caller_scope, access_key_id, request_id, ip, through } = task
  const author = { user_id, user, caller_scope, access_key_id, request_id, ip, through }
  return createTask('start', {}, stored, author, now)
}
