import { setTimeout as pause } from 'node:timers/promises'
import { defaultRequestTimeout } from '@muster/contract'
import type { ServerWriter } from '../inventory/ports.ts'
import type { AttachedAccount } from '../sources/account.ts'
import type { OpenSource } from '../sources/open-source.ts'
import { createInterruptibleSleep } from '../sources/interruptible-sleep.ts'
import { LeaseLost } from '../sources/lease-lost.ts'
import type { RunningAccount } from '../sources/run-account.ts'
import type { SyncLog } from '../sources/sync-log.ts'
import { createBatchLimits } from './batch-limits.ts'
import { createCloseTasks } from './close-tasks.ts'
import type { EmptyBin } from './empty-bin.ts'
import type { TaskStore } from './ports.ts'
import type { ReauthorizeTask } from './reauthorize-task.ts'
import { runTask, type TaskContext } from './run-task.ts'
import { createServerReadings } from './server-readings.ts'
import type { LoadSituations } from './situations.ts'
import { isFinished, type TaskRecord } from './task.ts'

interface Dependencies {
  readonly tasks: TaskStore
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly openSource: Pick<OpenSource, 'openAccount' | 'openActor' | 'loadKind'>
  readonly loadSituations: LoadSituations
  readonly reauthorize: ReauthorizeTask
  readonly emptyBin: EmptyBin
  readonly limits: TaskContext['limits']
  readonly clock: () => number
  readonly log: SyncLog
}

export interface AccountTasks {
  /** There may be new tasks. */
  wake(): void
  stop(): Promise<void>
}

/** How often the recycle bin is checked. */
const binInterval = 10_000
/** After an error of the storage. */
const retryDelay = 1_000

/** Runs the tasks of an account whose lease this process holds. */
export function createRunAccountTasks(dependencies: Dependencies) {
  const { tasks, serverWriter, openSource, clock, log } = dependencies

  /** Of all accounts. A request that is on its way outlives a change of the account. */
  const runs = new Map<string, Promise<void>>()
  const batchLimits = createBatchLimits(tasks)

  return function runAccountTasks(
    { account }: AttachedAccount,
    runner: string,
    running: RunningAccount,
  ): AccountTasks {
    const limits = {
      ...dependencies.limits,
      ...(account.request_timeout !== defaultRequestTimeout && {
        call: account.request_timeout * 1_000,
      }),
    }
    // A reading is more than one request.
    const readLimit = Math.max(limits.call, dependencies.limits.call)
    const ending = new AbortController()
    const { signal } = ending
    const fence = { accountId: account.id, fence: { revision: account.revision, runner } }
    const condition = { fence }
    const active = new Map<string, TaskRecord>()
    const ended = new Set<Promise<void>>()
    const sleep = createInterruptibleSleep(signal, clock)
    let isWanted = true

    const wake = () => {
      isWanted = true
      sleep.interrupt()
    }

    const findStored = async (id: string) => (await serverWriter.findStored([id])).get(id)
    const closing = createCloseTasks({ account, tasks, findStored, limits, clock, condition })

    const readings = createServerReadings({
      open: () =>
        openSource.openAccount(
          account,
          AbortSignal.any([signal, AbortSignal.timeout(readLimit)]),
          'get',
        ),
      signal,
      timeLimit: readLimit,
    })

    async function contextOf(): Promise<TaskContext> {
      const { acting } = await openSource.loadKind(account.provider)
      if (!acting) throw new Error(`servers of ${account.provider} cannot be acted on`)
      return {
        support: acting,
        tasks,
        findStored,
        async loadSituation(stored) {
          const situation = (await dependencies.loadSituations([stored])).get(stored.id)
          if (!situation) throw new Error('a stored server has no situation')
          return situation
        },
        reauthorize: dependencies.reauthorize,
        read: readings.read,
        record: running.recordReading,
        onMissing: running.scanForMissing,
        openActor: (limit) => openSource.openActor(account, limit),
        condition,
        maySend: account.access === 'manage',
        limits,
        clock,
        signal,
      }
    }

    async function run(task: TaskRecord): Promise<void> {
      try {
        await runTask(task, await contextOf())
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLost) return
        log.warn(
          { account: account.name, account_id: account.id, task_id: task.id, err: error },
          'a task was interrupted and continues soon',
        )
        await pause(retryDelay, undefined, { signal }).catch(() => {})
      }
    }

    function start(task: TaskRecord): void {
      active.set(task.id, task)
      batchLimits.addActive(task)
      const done = run(task).finally(() => {
        active.delete(task.id)
        batchLimits.removeActive(task)
        ended.delete(done)
        runs.delete(task.id)
        wake()
      })
      ended.add(done)
      runs.set(task.id, done)
    }

    /** Batches and the account limit how many tasks run at once. */
    async function startWaiting(waiting: readonly TaskRecord[]): Promise<void> {
      if (account.access !== 'manage' && waiting.some(({ status }) => status === 'queued')) wake()
      const mayStart = batchLimits.openRound()
      for (const task of waiting) {
        const earlier = active.has(task.id) ? undefined : runs.get(task.id)
        if (earlier) void earlier.then(wake)
        if (active.has(task.id) || earlier) continue
        if (task.status === 'running') start(task)
        else if (account.access !== 'manage') await closing.cancelUnsent(task)
        else if (active.size < account.max_actions && (await mayStart(task))) start(task)
      }
    }

    async function runWaiting(): Promise<void> {
      const waiting = await tasks.waitingOf(
        account.id,
        Math.max(0, account.max_actions - active.size),
        active.keys(),
      )
      for (const task of waiting.filter(isFinished)) {
        if (task.status !== 'failed') await closing.settle(task)
        else if (await closing.followRestart(task)) wake()
      }
      await startWaiting(waiting.filter((task) => !isFinished(task)))
    }

    async function keepRunning(): Promise<void> {
      let binAt = clock() + binInterval
      while (!signal.aborted) {
        try {
          if (isWanted) {
            isWanted = false
            await runWaiting()
          }
          if (clock() >= binAt) {
            binAt = clock() + binInterval
            if ((await dependencies.emptyBin(account, running)) > 0) isWanted = true
          }
        } catch (error) {
          if (error instanceof LeaseLost) return
          isWanted = true
          if (signal.aborted) return
          log.warn(
            { account: account.name, account_id: account.id, err: error },
            'the tasks of the account cannot be read; trying again',
          )
          await pause(retryDelay, undefined, { signal }).catch(() => {})
        }
        if (!isWanted) await sleep.until(binAt)
      }
    }

    /** A disabled account runs briefly, so that its servers stop showing cancelled tasks. */
    async function runDisabled(): Promise<void> {
      if (account.isBeingDeleted) return
      const waiting = await tasks.waitingOf(account.id, 0)
      for (const task of waiting.filter(isFinished))
        if (task.status !== 'failed') await closing.settle(task)
    }

    const done = account.enabled ? keepRunning() : runDisabled().catch(() => {})

    return {
      wake,
      async stop() {
        ending.abort()
        wake()
        await done
        await Promise.allSettled(ended)
      },
    }
  }
}
