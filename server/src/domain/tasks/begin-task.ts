import type { StoredServer } from '../inventory/ports.ts'
import { settledStatus } from '../inventory/own-fields.ts'
import type { ActionSupport } from '../sources/action-port.ts'
import type { Reading } from '../sources/record-together.ts'
import { timestamp } from '../timestamp.ts'
import { decideAction, type Situation } from './decide-action.ts'
import type { TaskEvent } from './task-state.ts'
import { planSteps } from './plan-steps.ts'
import type { TaskStore } from './ports.ts'
import type { ReauthorizeTask } from './reauthorize-task.ts'
import { unreadable } from './task-errors.ts'
import { refusedError, type TaskEnd, type TaskRecord } from './task.ts'

export interface BeginContext {
  readonly support: ActionSupport
  readonly tasks: Pick<TaskStore, 'binEntry'>
  readonly findStored: (id: string) => Promise<StoredServer | undefined>
  readonly loadSituation: (stored: StoredServer) => Promise<Situation>
  readonly reauthorize: ReauthorizeTask
  /** Stores what the source says. */
  readonly record: (id: string, reading: Reading) => Promise<void>
  /** Requests a scan for a server that the source denies. It decides whether the server is removed. */
  readonly onMissing: (id: string) => Promise<void>
  /** Whether requests may be sent: not if the account is only observed. */
  readonly maySend: boolean
}

const failed = (
  error_class: TaskEnd['error_class'],
  error: string,
): Extract<TaskEvent, { kind: 'stopped' }> => ({
  kind: 'stopped',
  end: { status: 'failed', error, error_class, error_values: {} },
})

export const notInInventory = failed('server_gone', 'The server is no longer in the inventory.')

/** Decides again on the state that the source shows now, and plans the steps. */
export async function beginTask(
  task: TaskRecord,
  reading: Reading,
  context: BeginContext,
): Promise<TaskEvent> {
  const stored = await context.findStored(task.server_id)
  if (!stored) return notInInventory
  const reason = await context.reauthorize(task, stored)
  if (reason !== undefined) return failed('permission_lost', reason)
  if (reading === undefined) {
    await context.onMissing(task.server_id)
    // Without a user, a failure postpones the next attempt.
    const isReached = task.params['override_pending_delete'] === true && task.user_id !== ''
    return isReached
      ? { kind: 'done' }
      : failed('server_gone', 'The source no longer has the server.')
  }
  await context.record(task.server_id, reading)
  // The answer of the source may have been incomplete, so the server is read again for some time.
  if (!('facts' in reading)) return { kind: 'failed', error: unreadable }
  const decision = await decideAgain(task, context)
  if (decision !== 'act') return decision
  const { facts } = reading
  const plan = planSteps(task.action, task.params, context.support, facts)
  return { kind: 'begun', plan, facts }
}

/** Recorded just now, with the notes and the protection that the source reports. */
async function decideAgain(task: TaskRecord, context: BeginContext): Promise<TaskEvent | 'act'> {
  const stored = await context.findStored(task.server_id)
  if (!stored) return notInInventory
  if (task.user_id === '' && !(await isInBin(stored, context))) {
    return failed(
      'refused',
      'The server is no longer stopped in the recycle bin, so it was not deleted.',
    )
  }
  const situation = await context.loadSituation(stored)
  const decision = decideAction(task.action, task.params, { ...situation, task: undefined })
  if (decision.kind === 'already') return { kind: 'done' }
  if (decision.kind === 'act') return 'act'
  return { kind: 'stopped', end: { status: 'failed', ...refusedError(decision.error) } }
}

/**
 * No user confirms a scheduled deletion, so the server must not have changed since it was put into the bin.
 */
async function isInBin({ server }: StoredServer, { tasks }: BeginContext): Promise<boolean> {
  const entry = await tasks.binEntry(server.id)
  return (
    entry !== undefined &&
    server.pending_deleted &&
    server.auto_delete_at === timestamp(entry.auto_delete_at) &&
    settledStatus(server) === 'ready'
  )
}

/** Checks again right before each request. Undefined if the request may be sent. */
export async function mustNotSend(
  task: TaskRecord,
  context: BeginContext,
): Promise<TaskEvent | undefined> {
  if (!context.maySend) {
    return failed('refused', 'The cloud account was set to observe before the request was sent.')
  }
  if (task.user_id !== '') return undefined
  // No user can stop a scheduled deletion, so it is checked once more. Disks are deleted after their server.
  const stored = await context.findStored(task.server_id)
  if (stored?.server.deleted && task.sends > 0) return undefined
  const decision = await decideAgain(task, context)
  return decision === 'act' ? undefined : decision
}
