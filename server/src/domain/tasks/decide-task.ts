import { ActionError, type SourceRequest } from '../sources/action-port.ts'
import { explainError } from '../sources/explain-error.ts'
import type { Reading } from '../sources/record-together.ts'
import { SourceError } from '../sources/source-error.ts'
import type { ReportedFacts } from '../sources/source.ts'
import { isReached, startStep, type Step } from './plan-steps.ts'
import { isSettledStatus, nameOfStatus } from './shown-status.ts'
import type { TaskEnd, TaskRecord } from './task.ts'
import {
  explainLost,
  failed,
  failureOf,
  gone,
  interrupted,
  late,
  notCompleted,
  succeeded,
  unknown,
  withoutEffect,
  withParts,
} from './task-errors.ts'
import {
  changeStep,
  conclusionOf,
  deadlineOf,
  factsOf,
  isAccepted,
  isLastRequest,
  isStartAfterStop,
  isUnanswered,
  isUntouched,
  requestOf,
  stepOf,
  type Answer,
  type NextStep,
  type Phase,
  type TaskEvent,
  type TaskState,
  type TaskTimes,
  type Watch,
} from './task-state.ts'

/** Between readings, and between attempts: short at first. */
const firstDelay = 1_000
const longestDelay = 10_000
/** Attempts that send nothing: logins with a wrong password must not be many. */
const longestRetryDelay = 15_000
const retryTime = 180_000

/** A task as it was stored: new, between two requests, or sent by a process that is gone. */
export function resumeTask(task: TaskRecord, now: number, { lease, call }: TaskTimes): TaskState {
  const state: TaskState = {
    task,
    phase: { kind: 'begin' },
    at: now,
    delay: firstDelay,
    // A server that cannot be read before the start must not keep the task forever.
    startedAt: isStartAfterStop(task) ? now : (task.started_at ?? now),
    failingSince: undefined,
  }
  if (isUntouched(task)) return state
  if (task.sent_at === null) return enterStep(state, task, now)
  const { sent_at: since } = task
  const { accepted } = stepOf(task)
  if (accepted) return watch(state, { kind: accepted }, since)
  return {
    ...watch(state, { kind: 'interrupted' }, since),
    // The request may still be on its way.
    at: Math.max(now, since + lease + call),
  }
}

export function nextStep({ task, phase, at }: TaskState): NextStep {
  switch (phase.kind) {
    case 'begin':
    case 'look':
      return { kind: phase.kind, at }
    case 'plan':
      return { kind: 'plan', at, call: stepOf(task).call }
    case 'send':
      return { kind: 'send', at, request: requestOf(stepOf(task)) as SourceRequest }
    case 'watch': {
      const unanswered = isUnanswered(stepOf(task), phase) ? requestOf(stepOf(task)) : undefined
      return { kind: 'watch', at, unanswered }
    }
    case 'end':
      return phase
  }
}

/** What follows from the result of an effect. */
export function decideTask(
  state: TaskState,
  event: TaskEvent,
  now: number,
  times: TaskTimes,
): TaskState {
  const { task, phase } = state
  switch (event.kind) {
    case 'begun': {
      const changes = {
        status: 'running',
        started_at: task.started_at ?? now,
        plan: event.plan,
        step: 0,
      } as const
      const begun = { ...state, task: { ...task, ...changes }, startedAt: changes.started_at }
      return enterStep(begun, begun.task, now, event.facts)
    }
    case 'done':
      return end(state, succeeded)
    case 'stopped':
      return fail(state, event.end, now)
    case 'planned':
      return planned(state, event.requests, now)
    case 'sending':
      return sending(state, now, times)
    case 'accepted':
      return carriedOut(state, now)
    case 'working':
    case 'pending':
      return isLastRequest(stepOf(task))
        ? carriedOut(state, now, event.kind === 'working' ? 'working' : 'accepted')
        : unfinished(state, event.kind, now)
    case 'read':
      return phase.kind === 'watch'
        ? watched(state, phase, event, now, times)
        : looked(state, event.reading, now, times)
    case 'failed':
      if (phase.kind === 'send') return answered(state, event.error, now, times)
      return phase.kind === 'watch'
        ? unread(state, phase, event.error, now, times)
        : notSent(state, event.error, now, times)
  }
}

const end = (state: TaskState, result: TaskEnd): TaskState => ({
  ...state,
  phase: { kind: 'end', end: result },
})

/** The next step, or the next request of a step. */
function enterStep(state: TaskState, task: TaskRecord, now: number, facts?: ReportedFacts) {
  const entered = { ...state, task, at: now, delay: firstDelay, failingSince: undefined }
  const step = task.plan[task.step]
  if (!step) return end(entered, task.error === '' ? succeeded : failureOf(task))
  if (facts && !step.isInvisible && isReached(step.target, facts)) {
    return advance(entered, now, facts, false)
  }
  // Of a step that has begun, the state of the server does not show what is left.
  const isUnknown = !facts && !step.isInvisible && (step.done ?? 0) === 0
  return { ...entered, phase: isUnknown ? { kind: 'look' as const } : toSend(step) }
}

const toSend = (step: Step): Phase => ({ kind: requestOf(step) ? 'send' : 'plan' })

/** Goes to the next step, whose target the server may show already. */
function advance(state: TaskState, now: number, facts?: ReportedFacts, isDone = true): TaskState {
  const { requests = [] } = stepOf(state.task)
  const task = isDone ? changeStep(state.task, { done: requests.length }) : state.task
  const next = { ...task, step: task.step + 1, sent_at: null, stage: '' }
  const startedAt = isStartAfterStop(next) ? now : state.startedAt
  return enterStep({ ...state, startedAt }, next, now, facts)
}

function planned(state: TaskState, requests: readonly SourceRequest[], now: number): TaskState {
  const task = changeStep(state.task, { requests, done: 0 })
  if (requests.length > 0) return { ...state, task, phase: { kind: 'send' }, at: now }
  // The source has nothing to do, so it must show the target soon.
  const message = 'The source has nothing to change.'
  return watchSoon({ ...state, task }, { kind: 'lost', message }, now, now)
}

function sending(state: TaskState, now: number, times: TaskTimes): TaskState {
  if (now >= deadlineOf(state, times)) {
    return fail(
      state,
      failed('time_limit', 'The time limit passed before the request was sent.', state.task),
      now,
    )
  }
  const { task } = state
  const progress = Math.floor((100 * task.step) / Math.max(1, task.plan.length))
  const stage = stepOf(task).call.kind
  return { ...state, task: { ...task, stage, progress, sends: task.sends + 1, sent_at: now } }
}

/** The source has carried the request out, or works on it. */
function carriedOut(
  state: TaskState,
  now: number,
  accepted: 'accepted' | 'working' = 'accepted',
): TaskState {
  const { task } = state
  const step = stepOf(task)
  if (!isLastRequest(step)) {
    const next = changeStep({ ...task, sent_at: null }, { done: (step.done ?? 0) + 1 })
    return enterStep(state, next, now)
  }
  const known = { ...state, task: changeStep(task, { accepted }) }
  return watchSoon(known, { kind: accepted }, task.sent_at ?? now, now)
}

/** The next request must wait until the source shows that this one is done. */
function unfinished(state: TaskState, kind: 'working' | 'pending', now: number): TaskState {
  const { task } = state
  const message = explainLost(undefined, stepOf(task).call)
  const answer: Answer = kind === 'working' ? { kind } : { kind: 'lost', message }
  return watchSoon(state, answer, task.sent_at ?? now, now)
}

const watch = (state: TaskState, answer: Answer, since: number): TaskState => ({
  ...state,
  phase: { kind: 'watch', answer, since, wasChanging: false, unchanged: 0 },
})

const watchSoon = (state: TaskState, answer: Answer, since: number, now: number): TaskState => ({
  ...watch(state, answer, since),
  at: now + firstDelay,
  delay: 2 * firstDelay,
  failingSince: undefined,
})

/** The result of a request that was not accepted. */
function answered(state: TaskState, error: unknown, now: number, times: TaskTimes): TaskState {
  const { task } = state
  const { call } = stepOf(task)
  const isRefusal = error instanceof ActionError && error.kind !== 'outcome-unknown'
  if (error instanceof SourceError || (isRefusal && error.mayRetry)) {
    const unsent = { ...task, sends: task.sends - 1, sent_at: null }
    return notSent({ ...state, task: unsent }, error, now, times)
  }
  if (isRefusal) {
    if (error.kind === 'not-found' && call.kind === 'delete') return carriedOut(state, now)
    return refused(state, error, now)
  }
  const message = explainLost(error, call)
  return watchSoon(state, { kind: 'lost', message }, task.sent_at ?? now, now)
}

function refused(state: TaskState, error: ActionError, now: number): TaskState {
  const { task } = state
  // The next step does it in another way.
  if (stepOf(task).isOptional) return advance(state, now, undefined, false)
  const end = failed('source_refused', explainError(error), task, {
    answer: explainError(error),
    reason: error.kind,
  })
  return fail(state, end, now)
}

/** Nothing was sent, or the source did nothing: tries again for some time. */
function notSent(state: TaskState, error: unknown, now: number, times: TaskTimes): TaskState {
  const { task, phase, delay } = state
  const step = task.plan[task.step]
  const isAnswer = error instanceof ActionError
  if (isAnswer && phase.kind === 'plan') {
    if (error.kind === 'not-found' && step?.call.kind === 'delete') {
      return watchSoon(state, { kind: 'accepted' }, now, now)
    }
    if (error.kind !== 'outcome-unknown' && !error.mayRetry) return refused(state, error, now)
  }
  const since = state.failingSince ?? now
  // Between two requests the source gets more time: a server may be half changed.
  const isShort = isUntouched(task) || (isAnswer && !isStartAfterStop(task))
  const most = isShort ? since + retryTime : Infinity
  const within = step?.isOptional && isAnswer ? since + (step.within ?? 0) : Infinity
  const until = Math.min(deadlineOf(state, times), most, within)
  if (now + delay < until) {
    const isFirst = (step?.done ?? 0) === 0 && !step?.isInvisible
    return {
      ...state,
      phase: phase.kind === 'send' && isFirst ? { kind: 'look' } : phase,
      failingSince: since,
      at: now + delay,
      delay: Math.min(2 * delay, longestRetryDelay),
    }
  }
  if (isAnswer) return refused(state, error, now)
  const reason = explainError(error)
  const text =
    phase.kind === 'begin'
      ? `The server could not be read before the action: ${reason}`
      : `The request was not sent: ${reason}`
  return fail(state, failed('not_reached', text, task, { answer: reason }), now)
}

/** The server before a request is sent. */
function looked(state: TaskState, reading: Reading, now: number, times: TaskTimes): TaskState {
  const step = stepOf(state.task)
  const facts = factsOf(reading)
  if (reading !== undefined && !facts) return notSent(state, unreadable, now, times)
  if (isReached(step.target, facts)) return advance(state, now, facts, false)
  if (!facts) return fail(state, gone(state.task), now)
  return { ...state, phase: toSend(step), at: now }
}

const unreadable = new SourceError('invalid-response', 'The source cannot read the server.')

/** The server after a request was sent. */
function watched(
  state: TaskState,
  phase: Watch,
  { reading, isDone }: Extract<TaskEvent, { kind: 'read' }>,
  now: number,
  times: TaskTimes,
): TaskState {
  const { task } = state
  const step = stepOf(task)
  const facts = factsOf(reading)
  if (reading !== undefined && !facts) return unread(state, phase, unreadable, now, times)
  const status = facts?.status ?? 'deleted'
  const isChanging = facts !== undefined && !isSettledStatus(status)
  const isUnclear = isUnanswered(step, phase)
  if (isUnclear && isDone === true) {
    // For a request that the server does not show, this is the proof.
    if (isLastRequest(step) && (step.isInvisible || isReached(step.target, facts))) {
      return advance(state, now, facts)
    }
    return carriedOut(state, now)
  }
  if (isUnclear && isDone === undefined) {
    if (!isLastRequest(step)) {
      // A source that is still busy refuses the next request for now.
      return isAccepted(phase.answer) ? carriedOut(state, now) : unclear(state, phase, now)
    }
    if (step.isInvisible) {
      return isChanging
        ? watched(
            state,
            { ...phase, answer: { kind: 'accepted' } },
            { kind: 'read', reading },
            now,
            times,
          )
        : unclear(state, phase, now)
    }
  }
  const isShown = isReached(step.target, facts) && (!isUnclear || isDone === undefined)
  if (isShown) return advance(state, now, facts)
  if (!facts && step.target.kind !== 'gone') return fail(state, gone(task), now)
  const unchanged = phase.unchanged + 1
  const seen: Watch = { ...phase, wasChanging: phase.wasChanging || isChanging, unchanged }
  const isOver = now >= deadlineOf(state, times)
  const isLate = now >= conclusionOf(state, phase, times)
  const { answer } = phase
  // At the end of the task the next step is not sent, and the source's own answer tells why.
  const goesFurther = step.isOptional && !(isOver && answer.kind === 'lost')
  if (goesFurther && (isLate || (phase.wasChanging && !isChanging))) {
    return advance(state, now, facts, false)
  }
  if (!isChanging && phase.wasChanging) return fail(state, notCompleted(task, status, answer), now)
  const isFailure = answer.kind === 'lost' && isLate && !isChanging && unchanged > 1
  if (isOver && !isFailure) return fail(state, late(task, messageOf(answer)), now)
  if (isChanging) return watchOn(state, { ...seen, unchanged: 0 }, now, times)
  if (!isLate) return watchOn(state, seen, now, times)
  switch (answer.kind) {
    case 'accepted':
    case 'working':
      return fail(state, withoutEffect(task, status, answer), now)
    case 'interrupted':
      return fail(state, interrupted(task, status), now)
    case 'lost': {
      if (unchanged < 2) return watchOn(state, seen, now, times)
      if (step.isInvisible) return unclear(state, phase, now)
      const text = facts
        ? `${answer.message} The server is still ${nameOfStatus(status)}.`
        : answer.message
      const values = { answer: answer.message, status }
      return fail(state, failed('no_answer', text, task, values), now)
    }
  }
}

const messageOf = (answer: Answer) => (answer.kind === 'lost' ? answer.message : '')

function watchOn(state: TaskState, phase: Watch, now: number, times: TaskTimes): TaskState {
  const moments = [conclusionOf(state, phase, times), deadlineOf(state, times)]
  const { delay } = state
  return {
    ...state,
    phase,
    at: Math.min(now + delay, ...moments.filter((time) => time > now)),
    delay: Math.min(2 * delay, longestDelay),
  }
}

/** The server cannot be read after a request was sent. */
function unread(
  state: TaskState,
  phase: Watch,
  error: unknown,
  now: number,
  times: TaskTimes,
): TaskState {
  const { task } = state
  const isDeleted = stepOf(task).call.kind === 'delete' && isAccepted(phase.answer)
  // The source has confirmed the deletion. Without any other server it cannot list what it has.
  if (isDeleted && error instanceof SourceError && error.kind === 'incomplete') {
    return advance(state, now)
  }
  if (now < deadlineOf(state, times)) return watchOn(state, phase, now, times)
  const reason = explainError(error)
  const text = `${messageOf(phase.answer)} The request was sent, but the server can no longer be read: ${reason}`
  return fail(state, unknown('time_limit', text.trim(), task, { answer: reason }), now)
}

/** Nothing shows whether a request without an answer was carried out. */
function unclear(state: TaskState, { answer }: Watch, now: number): TaskState {
  const { task } = state
  if (stepOf(task).isOptional) return advance(state, now, undefined, false)
  const isLost = answer.kind === 'lost'
  const cause = isLost
    ? answer.message
    : `Muster stopped while sending the request "${stepOf(task).call.kind}".`
  const text = `${cause} The server does not show whether it was done.`
  const values = isLost ? { answer: answer.message } : {}
  return fail(state, unknown(isLost ? 'no_answer' : 'interrupted', text, task, values), now)
}

/** Ends the task. A server that ran before is started again when a later step fails. */
function fail(state: TaskState, given: TaskEnd, now: number): TaskState {
  const { task } = state
  const isUndoing = task.error !== ''
  const result = withParts(task, given)
  if (isUndoing) return end(state, { ...result, error: `${task.error} Afterwards: ${given.error}` })
  const step = task.plan[task.step]
  const mayBeStopped =
    task.action === 'change-config' &&
    task.plan.at(-1)?.call.kind === 'start' &&
    step?.call.kind !== 'start' &&
    task.plan.some(
      ({ call, requests }, at) =>
        call.kind === 'stop' && (at < task.step || (at === task.step && requests !== undefined)),
    )
  if (!mayBeStopped) return end(state, result)
  // It may be resized at this moment.
  if (result.status !== 'failed') {
    return end(state, { ...result, error: `${result.error} The server may be stopped now.` })
  }
  const { status: _, ...error } = result
  const undoing = {
    ...task,
    ...error,
    plan: [...task.plan, startStep],
    step: task.plan.length,
    sent_at: null,
  }
  return enterStep({ ...state, startedAt: now }, undoing, now)
}
