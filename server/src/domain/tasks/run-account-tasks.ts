import { setTimeout as pause } from 'node:timers/promises'
import { defaultRequestTimeout } from '@muster/contract'
import type { ServerWriter } from '../inventory/ports.ts'
import { ownNotesOf } from '../inventory/own-fields.ts'
import type { AttachedAccount } from '../sources/account.ts'
import type { OpenSource } from '../sources/open-source.ts'
import { LeaseLost } from '../sources/lease-lost.ts'
import type { RunningAccount } from '../sources/run-account.ts'
import type { SyncLog } from '../sources/sync-log.ts'
import { acceptedEvent, showTask } from './accept-task.ts'
import { endTask } from './end-task.ts'
import { binChanges } from './finish-task.ts'
import type { EmptyBin } from './empty-bin.ts'
import { decideLateRestart } from './late-restart.ts'
import type { TaskStore } from './ports.ts'
import type { ReauthorizeTask } from './reauthorize-task.ts'
import { runTask, type TaskContext } from './run-task.ts'
import { createServerReadings } from './server-readings.ts'
import type { LoadSituations } from './situations.ts'
import { cancelled, isFinished, type TaskRecord } from './task.ts'

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
  /** The tasks of each batch that this process runs, over all accounts. */
  const activeOfBatches = new Map<string, number>()
  const maxParallel = new Map<string, number>()
  function countActive(batchId: string, change: 1 | -1): void {
    if (batchId === '') return
    const count = (activeOfBatches.get(batchId) ?? 0) + change
    if (count === 0) {
      activeOfBatches.delete(batchId)
      maxParallel.delete(batchId)
    } else activeOfBatches.set(batchId, count)
  }

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
    const active = new Map<string, TaskRecord>()
    const ended = new Set<Promise<void>>()
    let isWanted = true
    let wakeUp = Promise.withResolvers<void>()

    const wake = () => {
      isWanted = true
      wakeUp.resolve()
    }

    const findStored = async (id: string) => (await serverWriter.findStored([id])).get(id)

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
        condition: { fence },
        maySend: account.access === 'manage',
        limits,
        clock,
        signal,
      }
    }

    /** Shows the end of a task that was ended by its batch or by a change of the account. */
    async function settle(task: TaskRecord): Promise<void> {
      const stored = await findStored(task.server_id)
      const isShown = stored !== undefined && ownNotesOf(stored.server).task_id === task.id
      const status = task.status === 'unknown' ? 'unknown' : 'cancelled'
      const end = { ...task, status } as const
      const { changes, ...bin } = isShown
        ? await binChanges(task, end, stored, { tasks, limits, clock })
        : {}
      const { commit } = endTask(task, { ...end, ...(changes && { changes }) }, stored, clock())
      await tasks.change(task, { isShown: false }, { ...commit, ...bin }, { fence })
    }

    /** Starts a server whose guest shut down after its restart had failed. */
    async function followRestart(task: TaskRecord): Promise<void> {
      const stored = await findStored(task.server_id)
      const mayAct = account.access === 'manage'
      const next = mayAct ? decideLateRestart(task, stored, clock(), limits.task) : 'end'
      if (next === 'wait') return
      if (next !== 'end' && stored) {
        const writes = [showTask(stored, next)]
        const events = [acceptedEvent(next)]
        if (!(await tasks.accept({ tasks: [next], writes, events }))) return
        wake()
      }
      await tasks.change(task, { isShown: false }, {}, { fence })
    }

    /** An account that is only observed starts nothing. */
    async function cancelUnsent(task: TaskRecord): Promise<void> {
      const error = 'The cloud account was set to observe.'
      const stored = await findStored(task.server_id)
      const { changes, commit } = endTask(task, cancelled(error), stored, clock())
      await tasks.change(task, changes, commit, { fence, isUnsent: true })
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
      countActive(task.batch_id, 1)
      const done = run(task).finally(() => {
        active.delete(task.id)
        countActive(task.batch_id, -1)
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
      const limitOf = new Map<string, number>()
      for (const task of waiting) {
        const earlier = active.has(task.id) ? undefined : runs.get(task.id)
        if (earlier) void earlier.then(wake)
        if (active.has(task.id) || earlier) continue
        if (task.status === 'running') {
          start(task)
          continue
        }
        if (account.access !== 'manage') {
          await cancelUnsent(task)
          continue
        }
        if (active.size >= account.max_actions) continue
        const { batch_id } = task
        if (batch_id !== '') {
          const limit = limitOf.get(batch_id) ?? (await findParallelLimit(batch_id))
          limitOf.set(batch_id, limit)
          if ((activeOfBatches.get(batch_id) ?? 0) >= limit) continue
        }
        start(task)
      }
    }

    /** How many tasks of a batch may run in this process. Other processes may run some, too. */
    async function findParallelLimit(batchId: string): Promise<number> {
      const max = maxParallel.get(batchId) ?? (await tasks.findBatch(batchId))?.max_parallel ?? 1
      maxParallel.set(batchId, max)
      const counts = await tasks.countBatches([batchId])
      const here = activeOfBatches.get(batchId) ?? 0
      const elsewhere = Math.max(0, (counts.get(batchId)?.running ?? 0) - here)
      return max - elsewhere
    }

    async function runWaiting(): Promise<void> {
      const waiting = await tasks.waitingOf(
        account.id,
        Math.max(0, account.max_actions - active.size),
        active.keys(),
      )
      for (const task of waiting.filter(isFinished))
        await (task.status === 'failed' ? followRestart(task) : settle(task))
      await startWaiting(waiting.filter((task) => !isFinished(task)))
    }

    async function keepRunning(): Promise<void> {
      let binAt = clock() + binInterval
      while (!signal.aborted) {
        try {
          if (isWanted) {
            isWanted = false
            wakeUp = Promise.withResolvers()
            await runWaiting()
          }
          if (clock() >= binAt) {
            binAt = clock() + binInterval
            if ((await dependencies.emptyBin(account, running)) > 0) {
              isWanted = true
              continue
            }
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
          continue
        }
        const sleeping = new AbortController()
        const limit = AbortSignal.any([signal, sleeping.signal])
        await Promise.race([
          wakeUp.promise,
          pause(Math.max(0, binAt - clock()), undefined, { signal: limit }).catch(() => {}),
        ])
        sleeping.abort()
      }
    }

    /** A disabled account runs briefly, so that its servers stop showing cancelled tasks. */
    async function runDisabled(): Promise<void> {
      if (account.isBeingDeleted) return
      const waiting = await tasks.waitingOf(account.id, 0)
      for (const task of waiting.filter(isFinished))
        if (task.status !== 'failed') await settle(task)
    }

    const done = account.enabled ? keepRunning() : runDisabled().catch(() => {})

    return {
      wake,
      async stop() {
        ending.abort()
        wakeUp.resolve()
        await done
        await Promise.allSettled(ended)
      },
    }
  }
}
