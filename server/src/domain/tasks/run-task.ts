import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable } from '../error.ts'
import type { StoredServer } from '../inventory/ports.ts'
import { ownNotesOf } from '../inventory/own-fields.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'
import type { SourceCall, SourceRequest } from '../sources/action-port.ts'
import type { Reading } from '../sources/record-together.ts'
import { LeaseLost } from '../sources/lease-lost.ts'
import { UnconfirmedAbsence, SourceError } from '../sources/source-error.ts'
import { referenceOf } from '../sources/server-reference.ts'
import type { ServerReference } from '../sources/source.ts'
import { writeServer } from './accept-task.ts'
import { beginTask, mustNotSend, notInInventory, type BeginContext } from './begin-task.ts'
import { decideTask, nextStep, resumeTask } from './decide-task.ts'
import { finishTask } from './finish-task.ts'
import type { TaskStore } from './ports.ts'
import { sentStatus } from './shown-status.ts'
import { createTaskSource, SourceFailure, type TaskSourceContext } from './task-source.ts'
import { changesOf, isFinished, type TaskRecord } from './task.ts'
import type { NextStep, TaskEvent, TaskState, TaskTimes } from './task-state.ts'

export interface TaskContext extends BeginContext, TaskSourceContext {
  readonly tasks: TaskStore
  readonly condition: NonNullable<Parameters<TaskStore['change']>[3]>
  readonly limits: TaskTimes & {
    /** For a server in the recycle bin; 0 if there is none. */
    readonly recycle: number
  }
  readonly clock: () => number
  /** Waits for some milliseconds. */
  readonly sleep?: (time: number) => Promise<void>
}

/** After an error of the database. */
const storageRetryDelay = 1_000

/** What must be stored before the next effect. The plan is stored with the first request. */
const isProgress = (saved: TaskRecord, task: TaskRecord): boolean =>
  saved.step !== task.step ||
  saved.sends !== task.sends ||
  saved.sent_at !== task.sent_at ||
  saved.plan[saved.step]?.accepted !== task.plan[task.step]?.accepted ||
  saved.plan[saved.step]?.lost !== task.plan[task.step]?.lost

/** Until this time no other process continues the task, so that this one can receive and store the answer. */
const whileWaiting = ({ sent_at }: TaskRecord) => ({ sentAt: sent_at ?? 0 })

const isInterrupted = ({ phase }: TaskState): boolean =>
  phase.kind === 'watch' && phase.answer.kind === 'interrupted'

/** Whether the last request for the server itself was sent. Some sources delete disks after the server. */
const hasSentDelete = ({ plan }: TaskRecord): boolean =>
  plan.some(({ call, requests = [], done = 0 }) => {
    const last = requests.findLastIndex(({ target }) => target === undefined)
    return call.kind === 'delete' && last !== -1 && done > last
  })

/** Carries out a task from its stored state. Resolves when it has ended; rejects when the account stops. */
export async function runTask(first: TaskRecord, context: TaskContext): Promise<void> {
  const { tasks, limits, clock, signal } = context
  const sleep = context.sleep ?? ((time: number) => pause(time, undefined, { signal }))
  let saved = first
  let state: TaskState = resumeTask(first, clock(), limits)
  const source = createTaskSource(context)
  /** Whether the state follows from the answer to the request that was sent last. */
  let isAnswered = false

  /**
   * The answer to a request is known only here, so a database that fails for some time must not lose it.
   * The conditions of a commit keep one that was carried out without an answer from counting twice.
   */
  async function untilStored<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isUnavailable(error)) throw error
        await sleep(storageRetryDelay)
      }
    }
  }

  /** Stores progress, and what the server shows. Returns false if the task was cancelled. */
  async function save(
    task: TaskRecord,
    status?: string,
    condition = context.condition,
  ): Promise<boolean> {
    const attempt = async () => {
      const stored = status === undefined ? undefined : await context.findStored(task.server_id)
      const shows = stored && ownNotesOf(stored.server).task_id === task.id
      const writes =
        shows && status !== undefined && stored.server.status !== status
          ? [writeServer(stored, { ...stored.server, status }, clock())]
          : []
      const changes = changesOf(saved, task)
      if (await tasks.change(saved, changes, { writes }, condition)) return true
      const current = await tasks.find(task.id)
      return !current || isFinished(current) || condition.sentAt !== undefined ? false : undefined
    }
    const isSaved = await untilStored(() => retryOnConflict(attempt))
    if (isSaved) saved = task
    return isSaved
  }

  async function send(request: SourceRequest, reference: ServerReference) {
    const stopped = await mustNotSend(state.task, context)
    if (stopped) return stopped
    const { call } = state.task.plan[state.task.step] as { call: SourceCall }
    // Before the request is stored as sent: a source that cannot be reached has received nothing.
    await source.open()
    const sending = decideTask(state, { kind: 'sending' }, clock(), limits)
    if (sending.phase.kind !== 'send') return { kind: 'sending' } as const
    if (!(await save(sending.task, sentStatus(sending.task.action, call)))) return undefined
    state = sending
    // After this time another process may act on the task. A slow commit must not send it later.
    const time = (state.task.sent_at ?? 0) + limits.call - clock()
    if (time <= 0) {
      throw new SourceFailure(new SourceError('timeout', 'The task took too long to store.'))
    }
    const accepted = await source.send(request, reference, time)
    return { kind: accepted ?? 'accepted' } as const
  }

  /** Reads the server, and whether a request without an answer was carried out. */
  async function watch(unanswered: SourceRequest | undefined, reference: ServerReference) {
    const check = async () => unanswered && (await source.check(unanswered, reference))
    let error: unknown
    let request = await check().catch((failure: unknown) => {
      if (!(failure instanceof SourceFailure)) throw failure
      error = failure.cause
      return undefined
    })
    const reading = await source.read(reference)
    // The reading shows a server that is no longer changing, perhaps because it was done in between.
    if (request === false) request = (await check()) === true
    await source.close()
    return { kind: 'read', reading, request, error } as const
  }

  async function perform(
    next: Exclude<NextStep, { kind: 'end' }>,
    reference: ServerReference,
  ): Promise<TaskEvent | undefined> {
    switch (next.kind) {
      case 'begin':
        return await beginTask(state.task, await source.read(reference), context)
      case 'look':
        return { kind: 'read', reading: await source.read(reference) }
      case 'plan':
        return { kind: 'planned', requests: await source.plan(next.call, reference) }
      case 'send':
        return await send(next.request, reference)
      case 'watch':
        return await watch(next.unanswered, reference)
    }
  }

  /** A source that has lost its servers denies each of them, so a denial alone removes nothing. */
  const record = (reading: Reading): Promise<void> =>
    reading === undefined && !hasSentDelete(state.task)
      ? context.onMissing(first.server_id)
      : context.record(first.server_id, reading)

  const recordNow = (reference: ServerReference): Promise<void> =>
    source
      .read(reference)
      .then(record)
      .catch((error: unknown) => {
        if (!(error instanceof SourceFailure)) throw error
      })

  /** The answer that another process has stored meanwhile. Returns false if the task has ended. */
  async function reload(): Promise<boolean> {
    const current = await tasks.find(first.id)
    if (!current || isFinished(current)) return false
    if (!isProgress(saved, current)) return true
    saved = current
    state = resumeTask(current, clock(), limits)
    return true
  }

  async function runSteps(stored: StoredServer): Promise<void> {
    const reference = referenceOf(stored.server)
    let isRefused = false
    for (;;) {
      const next = nextStep(state)
      if (next.kind === 'end') {
        await untilStored(() => finishTask(saved, state.task, next.end, context))
        isAnswered = false
        // A source that refuses a request may know more about the server than its last report.
        if (isRefused) await recordNow(reference)
        return
      }
      if (next.kind !== 'send' && isProgress(saved, state.task) && !(await save(state.task))) return
      if (next.at > clock()) {
        await source.close()
        await sleep(next.at - clock())
        if (isInterrupted(state)) {
          if (!(await reload())) return
          if (!isInterrupted(state)) continue
        }
      }
      isAnswered = false
      const event = await perform(next, reference).catch((error: unknown) => {
        if (error instanceof SourceFailure) return { kind: 'failed', error: error.cause } as const
        throw error
      })
      // It was cancelled meanwhile.
      if (!event) return
      state = decideTask(state, event, clock(), limits)
      isAnswered = next.kind === 'send' && saved.sent_at !== null
      const isLast = state.phase.kind === 'end' || state.task.step !== saved.step
      const isUnstored = isAnswered && state.phase.kind !== 'end' && isProgress(saved, state.task)
      if (isUnstored && !(await save(state.task, undefined, whileWaiting(saved)))) return
      if (event.kind === 'read' && isLast) await record(event.reading)
      if (event.kind === 'failed' && event.error instanceof UnconfirmedAbsence && isLast) {
        await context.onMissing(first.server_id)
      }
      isRefused = event.kind === 'failed' && next.kind === 'send'
    }
  }

  const stored = await context.findStored(first.server_id)
  if (!stored) return await finishTask(first, first, notInInventory.end, context)
  try {
    await runSteps(stored)
  } catch (error) {
    const { phase } = state
    const isLost = isAnswered && (signal.aborted || error instanceof LeaseLost)
    if (!isLost || phase.kind !== 'end') throw error
    const late = { ...context, condition: whileWaiting(saved) }
    await untilStored(() => finishTask(saved, state.task, phase.end, late))
  } finally {
    await source.close()
  }
}
