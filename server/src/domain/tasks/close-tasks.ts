import type { StoredServer } from '../inventory/ports.ts'
import { ownNotesOf } from '../inventory/own-fields.ts'
import type { Account } from '../sources/account.ts'
import { acceptedEvent, showTask } from './accept-task.ts'
import { endTask } from './end-task.ts'
import { binChanges } from './finish-task.ts'
import { decideLateRestart } from './late-restart.ts'
import type { TaskStore } from './ports.ts'
import type { TaskContext } from './run-task.ts'
import { cancelled, type TaskRecord } from './task.ts'

interface ClosingContext {
  readonly account: Account
  readonly tasks: TaskStore
  readonly findStored: (id: string) => Promise<StoredServer | undefined>
  readonly limits: TaskContext['limits']
  readonly clock: () => number
  readonly condition: TaskContext['condition']
}

/** Closes tasks of an account without running them. */
export function createCloseTasks(context: ClosingContext) {
  const { account, tasks, findStored, limits, clock, condition } = context

  return {
    /** Shows the end of a task that was ended by its batch or by a change of the account. */
    async settle(task: TaskRecord): Promise<void> {
      const stored = await findStored(task.server_id)
      const isShown = stored !== undefined && ownNotesOf(stored.server).task_id === task.id
      const status = task.status === 'unknown' ? 'unknown' : 'cancelled'
      const end = { ...task, status } as const
      const { changes, ...bin } = isShown
        ? await binChanges(task, end, stored, { tasks, limits, clock })
        : {}
      const { commit } = endTask(task, { ...end, ...(changes && { changes }) }, stored, clock())
      await tasks.change(task, { isShown: false }, { ...commit, ...bin }, condition)
    },

    /** Starts a server whose guest shut down after its restart had failed. Returns whether there is a new task. */
    async followRestart(task: TaskRecord): Promise<boolean> {
      const stored = await findStored(task.server_id)
      const mayAct = account.access === 'manage'
      const next = mayAct ? decideLateRestart(task, stored, clock(), limits.task) : 'end'
      if (next === 'wait') return false
      const isNew = next !== 'end' && stored !== undefined
      if (isNew) {
        const writes = [showTask(stored, next)]
        const events = [acceptedEvent(next)]
        if (!(await tasks.accept({ tasks: [next], writes, events }))) return false
      }
      await tasks.change(task, { isShown: false }, {}, condition)
      return isNew
    },

    /** An account that is only observed starts nothing. */
    async cancelUnsent(task: TaskRecord): Promise<void> {
      const error = 'The cloud account was set to observe.'
      const stored = await findStored(task.server_id)
      const { changes, commit } = endTask(task, cancelled(error), stored, clock())
      await tasks.change(task, changes, commit, { ...condition, isUnsent: true })
    },
  }
}
