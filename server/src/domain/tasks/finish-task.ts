import type { StoredServer } from '../inventory/ports.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'
import { timestamp } from '../timestamp.ts'
import { endTask } from './end-task.ts'
import { mayStopLater } from './late-restart.ts'
import type { TaskCommit, TaskStore } from './ports.ts'
import { changesOf, isFinished, type TaskEnd, type TaskRecord } from './task.ts'

interface Context {
  readonly tasks: TaskStore
  readonly findStored: (id: string) => Promise<StoredServer | undefined>
  readonly condition: NonNullable<Parameters<TaskStore['change']>[3]>
  readonly limits: { readonly recycle: number }
  readonly clock: () => number
}

/**
 * The delay after a failed scheduled deletion. After one with an unknown outcome, the whole retention starts
 * again.
 */
const retryAfter = 3_600_000
/** For entries of a restored backup, if there is no recycle bin any more. */
const week = 604_800_000
export const renewedTime = (recycle: number): number => (recycle === 0 ? week : recycle)

type BinChanges = Pick<TaskCommit, 'binned' | 'unbinned'> & {
  readonly changes?: Parameters<typeof endTask>[1]['changes']
}

/** A server in the bin, until this time. */
function binUntil(until: number): NonNullable<BinChanges['changes']> {
  return { auto_delete_at: timestamp(until) }
}

/** What the end of a deletion changes in the recycle bin. */
export async function binChanges(
  task: TaskRecord,
  { status }: Pick<TaskEnd, 'status'>,
  stored: StoredServer | undefined,
  { tasks, limits, clock }: Pick<Context, 'tasks' | 'limits' | 'clock'>,
): Promise<BinChanges> {
  if (task.action !== 'delete' || !stored) return {}
  const { id, server } = stored
  const now = clock()
  if (status === 'succeeded') {
    // A server that the source denied stays in the bin until a scan removes it.
    if (task.params['override_pending_delete'] === true) {
      return server.deleted ? { unbinned: [id] } : {}
    }
    const until = now + limits.recycle
    return {
      changes: { pending_deleted: true, pending_deleted_at: timestamp(now), ...binUntil(until) },
      binned: {
        server_id: id,
        account_id: server.account_id,
        delete_disks: task.params['delete_disks'] === true,
        delete_snapshots: task.params['delete_snapshots'] === true,
        auto_delete_at: until,
      },
    }
  }
  // A scheduled deletion that was sent must not be sent again soon, not even after a restart.
  const isOwn = task.user_id === '' && status !== 'cancelled' && server.pending_deleted
  const entry = isOwn ? await tasks.binEntry(id) : undefined
  if (!entry) return {}
  const until = now + (status === 'failed' ? retryAfter : renewedTime(limits.recycle))
  return { changes: binUntil(until), binned: { ...entry, auto_delete_at: until } }
}

/** Ends a task, with what its server shows. */
export async function finishTask(
  saved: TaskRecord,
  task: TaskRecord,
  end: TaskEnd,
  context: Context,
): Promise<void> {
  const { tasks } = context
  let current: TaskRecord | undefined = saved
  await retryOnConflict(async () => {
    if (!current || isFinished(current)) return true
    const stored = await context.findStored(task.server_id)
    const { changes: serverChanges, ...bin } = await binChanges(task, end, stored, context)
    const { changes, commit } = endTask(
      task,
      { ...end, ...(serverChanges && { changes: serverChanges }) },
      stored,
      context.clock(),
    )
    const isShown = mayStopLater(task, end)
    const made = { ...changesOf(saved, task), ...changes, isShown }
    if (await tasks.change(current, made, { ...commit, ...bin }, context.condition)) return true
    // The server was changed, or the task was cancelled.
    current = await tasks.find(task.id)
    return undefined
  })
}
