import { explainError } from '../sources/explain-error.ts'
import type { Reading } from '../sources/record-together.ts'
import { SourceError } from '../sources/source-error.ts'
import { isReached } from './plan-steps.ts'
import { isSettledStatus, nameOfStatus } from './shown-status.ts'
import {
  failed,
  gone,
  interrupted,
  late,
  notCompleted,
  unknown,
  unreadable,
  withoutEffect,
} from './task-errors.ts'
import {
  conclusionOf,
  deadlineOf,
  factsOf,
  isAccepted,
  isLastRequest,
  isUnanswered,
  stepOf,
  type Answer,
  type TaskEvent,
  type TaskState,
  type TaskTimes,
  type Watch,
} from './task-state.ts'
import { advance, carriedOut, fail } from './task-transitions.ts'

/** Between two readings. The first delay is shorter. */
const longestDelay = 10_000

/** The server after a request was sent. */
export function watched(
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
  // A source may be busy with something else, unless it works on the request.
  const isBusy = phase.answer.kind === 'working' ? isBusyNow(reading) : undefined
  const isChanging = facts !== undefined && (!isSettledStatus(status) || isBusy === true)
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
      if (isBusy === true && now < deadlineOf(state, times)) {
        return watchOn(state, phase, now, times)
      }
      return isChanging && isBusy !== true
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
  const wasChanging = phase.wasChanging || isBusy === false
  // At the end of the task the next step is not sent, and the source's own answer tells why.
  const goesFurther = step.isOptional && !(isOver && answer.kind === 'lost')
  if (goesFurther && (isLate || (wasChanging && !isChanging))) {
    return advance(state, now, facts, false)
  }
  if (!isChanging && wasChanging) return fail(state, notCompleted(task, status, answer), now)
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

const isBusyNow = (reading: Reading) => (reading && 'facts' in reading ? reading.isBusy : undefined)

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
export function unread(
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
