import { ActionError, type SourceRequest } from '../sources/action-port.ts'
import { explainError } from '../sources/explain-error.ts'
import type { Reading } from '../sources/record-together.ts'
import { SourceError } from '../sources/source-error.ts'
import { isReached } from './plan-steps.ts'
import type { TaskRecord } from './task.ts'
import { errorValues, explainLost, failed, gone, succeeded, unreadable } from './task-errors.ts'
import {
  changeStep,
  deadlineOf,
  factsOf,
  isStartAfterStop,
  isUnanswered,
  isUntouched,
  requestOf,
  stepOf,
  type NextStep,
  type TaskEvent,
  type TaskState,
  type TaskTimes,
} from './task-state.ts'
import {
  advance,
  carriedOut,
  end,
  enterStep,
  fail,
  firstDelay,
  lost,
  toSend,
  watch,
  watchSoon,
} from './task-transitions.ts'
import { notDone, unread, watched } from './watch-request.ts'

/**
 * The longest pause between attempts that send nothing. Many logins with a wrong password could lock the
 * user.
 */
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
  const { accepted, lost: message, answer, refusal } = stepOf(task)
  if (accepted) return watch(state, { kind: accepted }, since)
  if (message !== undefined) return watch(state, { kind: 'lost', message, answer, refusal }, since)
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

/** The next state after the result of an effect. */
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
      return carriedOut(state, now, 'working')
    case 'pending':
      return lost(state, explainLost(undefined, stepOf(task).call), now)
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

function planned(state: TaskState, requests: readonly SourceRequest[], now: number): TaskState {
  const task = changeStep(state.task, { requests, done: 0 })
  if (requests.length > 0) return { ...state, task, phase: { kind: 'send' }, at: now }
  // The source has done it or works on it, so it must show the target soon.
  return watchSoon({ ...state, task }, { kind: 'accepted' }, now, now)
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

/** The result of a request that was not accepted. */
function answered(state: TaskState, error: unknown, now: number, times: TaskTimes): TaskState {
  const { task } = state
  const { call, isOptional, isInvisible } = stepOf(task)
  const isRefusal = error instanceof ActionError && error.kind !== 'outcome-unknown'
  if (error instanceof SourceError || (isRefusal && error.mayRetry)) {
    // A login that failed came before the request was counted.
    const sends = task.sent_at === null ? task.sends : task.sends - 1
    return notSent({ ...state, task: { ...task, sends, sent_at: null } }, error, now, times)
  }
  if (isRefusal) {
    if (error.kind === 'not-found' && call.kind === 'delete') return carriedOut(state, now)
    // The guest may have shut down right before it was switched off.
    const mayBeDone = error.kind === 'conflict' && !isOptional && !isInvisible
    if (!mayBeDone) return refused(state, error, now)
    return { ...lost(state, { ...explainLost(error, call), refusal: error.kind }, now), at: now }
  }
  return lost(state, explainLost(error, call), now)
}

const refused = (state: TaskState, error: ActionError, now: number): TaskState =>
  notDone(state, 'source_refused', explainLost(error, stepOf(state.task).call), error.kind, now)

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
  return fail(state, failed('not_reached', text, task, errorValues(error)), now)
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
