import type { SourceKinds } from '../domain/sources/source.ts'
import type { OpenSource } from '../domain/sources/open-source.ts'
import type { AccountStore, SightingStore } from '../domain/sources/ports.ts'
import type { RunAccount } from '../domain/sources/run-account.ts'
import type { SyncLog } from '../domain/sources/sync-log.ts'
import type { ServerWriter } from '../domain/inventory/ports.ts'
import { createEmptyBin } from '../domain/tasks/empty-bin.ts'
import { createReauthorizeTask } from '../domain/tasks/reauthorize-task.ts'
import { createRunAccountTasks, type AccountTasks } from '../domain/tasks/run-account-tasks.ts'
import { createLoadSituations } from '../domain/tasks/situations.ts'
import type { ThreadDatabase } from '../storage/database.ts'
import { createAccessKeyStore } from '../storage/identity/access-keys.ts'
import { createDirectory } from '../storage/identity/directory.ts'
import { createTaskStore } from '../storage/tasks/task-store.ts'
import type { TaskLimits } from './task-limits.ts'

/** Settings of tasks, in milliseconds. */
export interface TaskSettings extends TaskLimits {
  /** For one task, from its start. */
  readonly taskTimeout: number
  /** How long servers stay in the recycle bin; 0 if there is none. */
  readonly recycleFor: number
}

interface Parts extends TaskSettings {
  readonly database: ThreadDatabase
  readonly kinds: SourceKinds
  readonly accounts: AccountStore
  readonly sightings: SightingStore
  readonly serverWriter: ServerWriter
  readonly openSource: OpenSource
  readonly runAccount: RunAccount
  readonly clock: () => number
  readonly log: SyncLog
}

/** How often to look for tasks that another process accepted. */
const pollInterval = 1_000

/** Runs the tasks of every account that this process runs. */
export function composeTaskRunner(parts: Parts) {
  const { database, kinds, accounts, sightings, serverWriter, openSource, clock, log } = parts
  const tasks = createTaskStore(database, clock)
  const loadSituations = createLoadSituations({ kinds, accounts, sightings, tasks })
  const runAccountTasks = createRunAccountTasks({
    tasks,
    serverWriter,
    openSource,
    loadSituations,
    reauthorize: createReauthorizeTask({
      directory: createDirectory(database),
      accessKeys: createAccessKeyStore(database),
      clock,
    }),
    emptyBin: createEmptyBin({
      tasks,
      serverWriter,
      sightings,
      loadSituations,
      recycleFor: parts.recycleFor,
      clock,
    }),
    limits: {
      task: parts.taskTimeout,
      call: parts.callLimit,
      lease: parts.leaseDuration,
      settle: parts.settleTime,
      recycle: parts.recycleFor,
    },
    clock,
    log,
  })
  const running = new Map<string, AccountTasks>()

  /** Runs an account together with its tasks. */
  const runAccount: RunAccount = (attached, runner) => {
    const account = parts.runAccount(attached, runner)
    const accountTasks = runAccountTasks(attached, runner, account)
    const { id } = attached.account
    running.set(id, accountTasks)
    const done = account.done.finally(async () => {
      if (running.get(id) === accountTasks) running.delete(id)
      await accountTasks.stop()
    })
    return {
      ...account,
      done,
      async stop() {
        await Promise.all([account.stop(), accountTasks.stop()])
        await done
      },
    }
  }

  let isPolling = false
  async function poll(): Promise<void> {
    if (isPolling || running.size === 0) return
    isPolling = true
    try {
      for (const id of await tasks.accountsWaiting()) running.get(id)?.wake()
    } catch (error) {
      log.debug({ err: error }, 'could not look for tasks; trying again')
    } finally {
      isPolling = false
    }
  }
  let timer: NodeJS.Timeout | undefined

  return {
    runAccount,
    wake: (accountId: string) => running.get(accountId)?.wake(),
    start: () => void (timer = setInterval(() => void poll(), pollInterval)),
    stop: () => clearInterval(timer),
  }
}
