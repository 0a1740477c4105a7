import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '@muster/contract'
import type { StoredServer } from '../inventory/ports.ts'
import { ownNotesOf, settledStatus } from '../inventory/own-fields.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'
import { ActionError, type ActionSupport, type ServerActor } from '../sources/action-port.ts'
import { explainError } from '../sources/explain-error.ts'
import type { Reading } from '../sources/record-together.ts'
import { SourceError } from '../sources/source-error.ts'
import { referenceOf } from '../sources/server-reference.ts'
import type { ReportedFacts, ServerReference } from '../sources/source.ts'
import { timestamp } from '../timestamp.ts'
import { writeServer } from './accept-task.ts'
import { decideAction, type Situation } from './decide-action.ts'
import { endTask } from './end-task.ts'
import { isReached, isRepeatable, planSteps, startStep, type Step } from './plan-steps.ts'
import type { TaskCommit, TaskStore } from './ports.ts'
import type { ReauthorizeTask } from './reauthorize-task.ts'
import { failedStatus, isSettledStatus, nameOfStatus, sentStatus } from './shown-status.ts'
import { isFinished, type TaskRecord } from './task.ts'

export interface TaskContext {
  readonly support: ActionSupport
  readonly tasks: TaskStore
  readonly findStored: (id: string) => Promise<StoredServer | undefined>
  readonly loadSituation: (stored: StoredServer) => Promise<Situation>
  readonly reauthorize: ReauthorizeTask
  /** Reads the server from its source. */
  readonly read: (reference: ServerReference) => Promise<Reading>
  /** Stores what the source says. */
  readonly record: (id: string, reading: Reading) => Promise<void>
  readonly openActor: (signal: AbortSignal) => Promise<ServerActor>
  /** The part of a commit that makes the next report be written again. */
  readonly forgetReport: (serverId: string) => Promise<TaskCommit['sightings']>
  readonly condition: NonNullable<Parameters<TaskStore['change']>[3]>
  /** Whether requests may be sent: not if the account is only observed. */
  readonly maySend: boolean
  readonly limits: {
    /** Milliseconds for a task, from its start. */
    readonly task: number
    /** For one request. */
    readonly call: number
    /** After this time another process may have taken over the account. */
    readonly lease: number
    /** For a server in the recycle bin; 0 if there is none. */
    readonly recycle: number
  }
  readonly clock: () => number
  readonly signal: AbortSignal
}

/** How a task ended. */
type End = Parameters<typeof endTask>[1] & { readonly bins?: boolean }

/** Delays between readings: quick at first. */
const firstDelay = 1_000
const longestDelay = 10_000
/** Until a deletion without an answer is sent once more. */
const repeatDelay = 60_000

/** Thrown to end a task. */
class Ended extends Error {
  readonly end: End
  constructor(end: End) {
    super(end.error)
    this.name = 'Ended'
    this.end = end
  }
}

const fail = (error: string) => new Ended({ status: 'failed', error })

const factsOf = (reading: Reading): ReportedFacts | undefined =>
  reading && 'facts' in reading ? reading.facts : undefined

/** Carries out a task from wherever it is. Resolves when it has ended, or when the account stops. */
export async function runTask(first: TaskRecord, context: TaskContext): Promise<void> {
  const { support, tasks, clock, signal, limits, condition } = context
  let task = first

  // A server that cannot be read before the start must not keep the task forever.
  const resumedAt = clock()
  /** The undoing of a failed task has a time limit of its own. */
  let undoSince = resumedAt
  const deadline = () =>
    (task.error === '' ? (task.started_at ?? resumedAt) : undoSince) + limits.task

  /** The server as it was read for the decision: mostly it is still so when the request is sent. */
  let lastRead: StoredServer | undefined
  /** Stored by the next commit. If it is lost in a crash, it is found out again. */
  let unsaved: Partial<TaskRecord> = {}
  function note(changes: Partial<TaskRecord>): void {
    unsaved = { ...unsaved, ...changes }
    task = { ...task, ...changes }
  }

  /** Stores progress, and what the server shows. The task must still be unfinished. */
  async function save(made: Partial<TaskRecord>, status?: string): Promise<void> {
    const changes = { ...unsaved, ...made }
    const now = clock()
    let known = lastRead
    const isSaved = await retryOnConflict(async () => {
      const stored =
        status === undefined ? undefined : (known ?? (await context.findStored(task.server_id)))
      const shows = stored && ownNotesOf(stored.server).task_id === task.id
      const writes =
        shows && status !== undefined && stored.server.status !== status
          ? [writeServer(stored, { ...stored.server, status }, now)]
          : []
      if (await tasks.change(task, changes, { writes }, condition)) return true
      known = undefined
      const current = await tasks.find(task.id)
      return !current || isFinished(current) ? false : undefined
    })
    lastRead = undefined
    // Somebody has cancelled it meanwhile.
    if (!isSaved) throw new Ended({ status: 'cancelled', error: '' })
    task = { ...task, ...changes }
    unsaved = {}
  }

  async function finish({ bins = false, ...end }: End): Promise<void> {
    const sightings =
      end.failedStatus === undefined ? undefined : await context.forgetReport(task.server_id)
    let current: TaskRecord | undefined = task
    await retryOnConflict(async () => {
      if (!current || isFinished(current)) return true
      const stored = await context.findStored(task.server_id)
      const now = clock()
      const bin = bins && stored ? binOf(task, stored, now, limits.recycle) : undefined
      const { changes, commit } = endTask(
        current,
        { ...end, ...(bin && { changes: bin.changes }) },
        stored,
        now,
      )
      const others = {
        ...(sightings && { sightings }),
        ...(bin && { binned: bin.entry }),
        ...(task.action === 'delete' &&
          !bins &&
          end.status === 'succeeded' && { unbinned: [task.server_id] }),
      }
      const made = { ...unsaved, ...changes }
      if (await tasks.change(current, made, { ...commit, ...others }, condition)) return true
      // Somebody has changed the server, or cancelled the task.
      current = await tasks.find(task.id)
      return undefined
    })
  }

  async function requireStored(): Promise<StoredServer> {
    const stored = await context.findStored(task.server_id)
    if (!stored) throw fail('The server is no longer in the inventory.')
    return stored
  }

  /** Reads until it works, or until the time is over. */
  async function look(reference: ServerReference, isDeleted = false): Promise<Reading> {
    for (let delay = firstDelay; ; delay = Math.min(2 * delay, longestDelay)) {
      try {
        return await context.read(reference)
      } catch (error) {
        signal.throwIfAborted()
        // The source has confirmed the deletion. Without any other server it cannot list what it has.
        if (isDeleted && error instanceof SourceError && error.kind === 'incomplete')
          return undefined
        if (clock() + delay >= deadline()) {
          throw task.sent_at === null
            ? fail(`The server could not be read before the action: ${explainError(error)}`)
            : new Ended({
                status: 'unknown',
                error: `The request was sent, but the server can no longer be read: ${explainError(error)}`,
              })
        }
        await pause(delay, undefined, { signal })
      }
    }
  }

  /** Nobody asks for a deletion by time, so the server must still be as it was deleted. */
  async function requireInBin({ server }: StoredServer): Promise<void> {
    const entry = await tasks.binEntry(server.id)
    const isUnchanged =
      entry !== undefined &&
      server.pending_deleted &&
      server.auto_delete_at === timestamp(entry.auto_delete_at) &&
      settledStatus(server) === 'ready'
    if (!isUnchanged) {
      throw fail('The server is no longer stopped in the recycle bin, so it was not deleted.')
    }
  }

  /** Decides again on the state that the source shows now, and plans the requests. */
  async function begin(): Promise<{ reference: ServerReference; isDone: boolean }> {
    const stored = await requireStored()
    const reason = await context.reauthorize(task, stored)
    if (reason !== undefined) throw fail(reason)
    const reference = referenceOf(stored.server)
    const reading = await look(reference)
    await context.record(task.server_id, reading)
    if (reading === undefined) {
      if (task.action === 'delete') return { reference, isDone: true }
      throw fail('The source no longer has the server.')
    }
    const facts = factsOf(reading)
    if (!facts) throw fail('The source cannot read the server.')
    // Recorded just now, with the notes and the protection that the source reports.
    const read = await requireStored()
    if (task.user_id === '') await requireInBin(read)
    const situation = await context.loadSituation(read)
    const decision = decideAction(task.action, task.params, { ...situation, task: undefined })
    if (decision.kind === 'refused') throw fail(decision.error.message)
    if (decision.kind === 'already') return { reference, isDone: true }
    const plan = planSteps(task.action, task.params, support, facts)
    lastRead = read
    note({ status: 'running', started_at: task.started_at ?? clock(), plan, step: 0 })
    return { reference, isDone: false }
  }

  async function send(step: Step, reference: ServerReference): Promise<'accepted' | 'unknown'> {
    if (!context.maySend) {
      throw fail('The cloud account was set to observe before the request was sent.')
    }
    if (clock() >= deadline()) throw fail('The time limit passed before the request was sent.')
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limits.call)])
    const actor = await context.openActor(limit).catch((error: unknown) => {
      signal.throwIfAborted()
      // Errors of the storage say nothing about the source: the task is tried again.
      if (!(error instanceof SourceError) && !limit.aborted) throw error
      throw fail(`The request was not sent: ${explainError(error)}`)
    })
    try {
      const progress = Math.floor((100 * task.step) / Math.max(1, task.plan.length))
      await save(
        { stage: step.call.kind, progress, sends: task.sends + 1, sent_at: clock() },
        sentStatus(task.action, step.call),
      )
      return await act(actor, step, reference)
    } finally {
      await actor.close().catch(() => {})
    }
  }

  async function act(
    actor: ServerActor,
    { call }: Step,
    reference: ServerReference,
  ): Promise<'accepted' | 'unknown'> {
    // After this time another process may act on the task. A slow commit must not send it later.
    const time = (task.sent_at ?? 0) + limits.call - clock()
    if (time <= 0) {
      await save({ sends: task.sends - 1, sent_at: null })
      throw new Error('a task took too long to store; its request was not sent')
    }
    try {
      // A request that is on its way is not interrupted: its outcome would be unknown.
      await actor.act(call, reference, AbortSignal.timeout(time))
      return 'accepted'
    } catch (error) {
      if (error instanceof SourceError) throw fail(explainError(error))
      if (!(error instanceof ActionError) || error.kind === 'outcome-unknown') return 'unknown'
      if (error.kind === 'not-found' && call.kind === 'delete') return 'accepted'
      throw fail(explainError(error))
    }
  }

  /** Reads the server until it shows the target. Returns false if that takes too long. */
  async function waitFor(
    step: Step,
    reference: ServerReference,
    outcome: 'accepted' | 'unknown',
  ): Promise<boolean> {
    const isDeleted = step.call.kind === 'delete' && outcome === 'accepted'
    // A deletion of several requests may have been interrupted, so it is sent once more.
    const repeatsAfter = step.call.kind === 'delete' && !isDeleted ? repeatDelay : Infinity
    const within = Math.min(step.within ?? Infinity, repeatsAfter)
    const end = Math.min(deadline(), (task.sent_at ?? 0) + within)
    let wasBusy = false
    for (let delay = firstDelay; ; delay = Math.min(2 * delay, longestDelay)) {
      await pause(Math.min(delay, Math.max(end - clock(), 0)), undefined, { signal })
      const reading = await look(reference, isDeleted)
      const isDone =
        isReached(step.target, factsOf(reading)) && (reading === undefined || 'facts' in reading)
      if (isDone) {
        await context.record(task.server_id, reading)
        return true
      }
      if (reading === undefined) throw fail('The source no longer has the server.')
      const status = factsOf(reading)?.status
      const isSettled = status !== undefined && isSettledStatus(status)
      if (wasBusy && isSettled) {
        await context.record(task.server_id, reading)
        throw fail(
          `The source accepted the request "${step.call.kind}" but did not complete it: the server is ${nameOfStatus(status)}.`,
        )
      }
      wasBusy ||= status !== undefined && !isSettled
      if (clock() >= end) {
        await context.record(task.server_id, reading)
        return false
      }
    }
  }

  const lateError = (step: Step): Ended =>
    step.within !== undefined && clock() < deadline()
      ? fail(
          `The guest did not shut down within ${Math.round(step.within / 1_000)} s. To switch it off, use is_force=true.`,
        )
      : new Ended({
          status: 'unknown',
          error: `The request "${step.call.kind}" was sent, but the source did not show the result in time.`,
        })

  async function runStep(step: Step, reference: ServerReference): Promise<void> {
    let outcome: 'accepted' | 'unknown' = 'unknown'
    if (task.sent_at === null) {
      // Before the first step the server was read a moment ago.
      const facts = step.isInvisible || task.step === 0 ? undefined : factsOf(await look(reference))
      if (facts && isReached(step.target, facts)) return
      const result = await send(step, reference).catch((error: unknown) => {
        // The next step does it in another way.
        if (step.isOptional && error instanceof Ended && error.end.status === 'failed')
          return undefined
        throw error
      })
      if (result === undefined) return
      outcome = result
      if (outcome === 'unknown' && step.isInvisible) {
        throw new Ended({
          status: 'unknown',
          error: `The source did not answer the request "${step.call.kind}", and the server does not show whether it was done.`,
        })
      }
    }
    if (await waitFor(step, reference, outcome)) return
    if (step.isOptional) return
    const isLost = step.call.kind === 'delete' && outcome === 'unknown' && task.sends < 2
    if (isLost && clock() < deadline()) {
      task = { ...task, sent_at: null }
      return await runStep(step, reference)
    }
    throw lateError(step)
  }

  /**
   * After a crash of the process that sent a request. The request may still be on its way until its time
   * limit, so nothing is decided before.
   */
  async function recover(step: Step, reference: ServerReference): Promise<void> {
    const wait = (task.sent_at ?? 0) + limits.lease + limits.call - clock()
    if (wait > 0) await pause(wait, undefined, { signal })
    const lost = (reason: string) =>
      new Ended({
        status: 'unknown',
        error: `Muster was restarted after the request "${step.call.kind}" was sent. ${reason}`,
      })
    if (step.isInvisible) throw lost('The server does not show whether it was done.')
    const reading = await look(reference)
    const facts = factsOf(reading)
    if (
      reading === undefined ? step.target.kind === 'gone' : facts && isReached(step.target, facts)
    ) {
      return
    }
    // The source is still working on it.
    if (facts && !isSettledStatus(facts.status)) return
    const isInTime = clock() < deadline()
    if (!isRepeatable(step) || task.sends > 1 || !isInTime) {
      if (step.isOptional) return
      throw lost('The server does not show the result.')
    }
    task = { ...task, sent_at: null }
  }

  /** A server that ran before must run again when a later step fails. */
  async function undo(error: Ended): Promise<void> {
    const hasStopped = task.plan.slice(0, task.step + 1).some(({ call }) => call.kind === 'stop')
    const starts = task.plan.at(-1)?.call.kind === 'start' && task.action === 'change-config'
    const isUndoing = task.error !== ''
    if (!hasStopped || !starts || isUndoing || error.end.status === 'cancelled') throw error
    // It may be resized at this moment, or must not be touched any more.
    if (error.end.status !== 'failed' || !context.maySend) {
      throw new Ended({ ...error.end, error: `${error.end.error} The server may be stopped now.` })
    }
    undoSince = clock()
    await save({
      error: error.end.error,
      plan: [...task.plan, startStep],
      step: task.plan.length,
      sends: 0,
      sent_at: null,
    })
  }

  async function runSteps(reference: ServerReference): Promise<void> {
    while (task.step < task.plan.length) {
      const step = task.plan[task.step] as Step
      try {
        await runStep(step, reference)
        const next = { step: task.step + 1, sends: 0, sent_at: null, stage: '' }
        // The commit that ends the task follows.
        if (next.step === task.plan.length) note(next)
        else await save(next)
      } catch (error) {
        if (!(error instanceof Ended)) throw error
        await undo(error)
      }
    }
  }

  async function carryOut(): Promise<End> {
    const wasSent = task.step > 0 || task.sends > 0
    if (!wasSent) {
      const { reference, isDone } = await begin()
      if (!isDone) await runSteps(reference)
    } else {
      const reference = referenceOf((await requireStored()).server)
      const step = task.plan[task.step]
      if (step && task.sent_at !== null) await recover(step, reference)
      await runSteps(reference)
    }
    if (task.error !== '') return { status: 'failed', error: task.error }
    const bins = task.action === 'delete' && task.params['override_pending_delete'] !== true
    return { status: 'succeeded', error: '', bins }
  }

  try {
    await finish(await carryOut())
  } catch (error) {
    if (signal.aborted || !(error instanceof Ended)) throw error
    const { end } = error
    const wasSent = task.sends > 0 || task.step > 0 || task.sent_at !== null
    const call = task.plan[task.step]?.call
    const shows = wasSent && end.status === 'failed'
    await finish({
      ...end,
      // The first error is the cause; the second one says that it could not be undone.
      ...(task.error !== '' && { error: `${task.error} Afterwards: ${end.error}` }),
      ...(shows && { failedStatus: failedStatus(task.action, call) }),
    })
  }
}

/** Where a deleted server waits, and until when. */
function binOf(task: TaskRecord, { server }: StoredServer, now: number, recycle: number) {
  const until = now + recycle
  const changes: Partial<Server> = {
    pending_deleted: true,
    pending_deleted_at: timestamp(now),
    auto_delete_at: timestamp(until),
  }
  return {
    changes,
    entry: {
      server_id: server.id,
      account_id: server.account_id,
      delete_disks: task.params['delete_disks'] === true,
      delete_snapshots: task.params['delete_snapshots'] === true,
      auto_delete_at: until,
    },
  }
}
