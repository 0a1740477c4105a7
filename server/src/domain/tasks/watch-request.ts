import { ActionError, type ActionErrorKind, type RequestState } from '../sources/action-port.ts'
import { explainError } from '../sources/explain-error.ts'
import type { Reading } from '../sources/record-together.ts'
import type { ReportedFacts } from '../sources/source.ts'
import { UnconfirmedAbsence, SourceError } from '../sources/source-error.ts'
import { isReached, type Step, type Target } from './plan-steps.ts'
import { isSettledStatus, nameOfStatus } from './shown-status.ts'
import {
  answerValues,
  explainLost,
  failed,
  gone,
  interrupted,
  late,
  messageOf,
  notCompleted,
  stoppedWhileSending,
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
  requestOf,
  stepOf,
  type Answer,
  type LostAnswer,
  type TaskEvent,
  type TaskState,
  type TaskTimes,
  type Watch,
} from './task-state.ts'
import { advance, carriedOut, fail, lost } from './task-transitions.ts'

/** Between two readings. The first delay is shorter. */
const longestDelay = 10_000
/** While the source works on the request. Incus and LXD forget an error five seconds later. */
const longestWorkDelay = 4_000

/** After many logins with a wrong password, the source may lock the user. */
const longestLoginDelay = 60_000

/** The server after a request was sent. */
export function watched(
  state: TaskState,
  phase: Watch,
  { reading, request, error }: Extract<TaskEvent, { kind: 'read' }>,
  now: number,
  times: TaskTimes,
): TaskState {
  const { task } = state
  const step = stepOf(task)
  const facts = factsOf(reading)
  if (reading !== undefined && !facts) return unread(state, phase, unreadable, now, times)
  if (error !== undefined && !isShownBy(step, facts)) return unread(state, phase, error, now, times)
  const status = facts?.status ?? 'deleted'
  const isUnclear = isUnanswered(step, phase)
  if (isRefused(phase.answer)) {
    // Not done by this request: that the source denies the server does not remove it.
    if (isShownBy(step, facts, request)) return advance(state, now, facts, false)
    if (request === true) return carriedOut(state, now)
    return notDone(state, 'source_refused', phase.answer, phase.answer.refusal, now)
  }
  if (isUnclear && request instanceof ActionError) {
    if (isShownBy(step, facts)) return advance(state, now, facts)
    const failure = explainLost(request, step.call)
    if (request.kind !== 'outcome-unknown') {
      return notDone(state, 'source_failed', failure, request.kind, now)
    }
    if (phase.answer.kind !== 'lost') return lost(state, failure, now)
  }
  const isDone = typeof request === 'boolean' ? request : undefined
  // A source may be busy with something else, unless it works on the request.
  const isBusy = isBusyWith(request, phase.answer, reading)
  // After a clear answer, the source may still be at work on it.
  const isStill =
    isSettledStatus(status) || (status === step.from && phase.answer.kind !== 'accepted')
  const isChanging = facts !== undefined && (!isStill || isBusy === true)
  if (isUnclear && isDone === true) {
    // For a request that the server does not show, this is the proof.
    if (isLastRequest(step) && (step.isInvisible || isReached(step.target, facts))) {
      return advance(state, now, facts)
    }
    return carriedOut(state, now)
  }
  if (isUnclear && isDone === undefined && request !== 'working') {
    if (!isLastRequest(step)) {
      // A source that is still busy refuses the next request for now.
      return isAccepted(phase.answer) ? carriedOut(state, now) : unclear(state, phase, now)
    }
    if (isInvisible(step)) {
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
  const isHidden = isUnreadTarget(step.target, reading)
  const isShown =
    (isUnclear
      ? request !== 'working' && isShownBy(step, facts, request)
      : isReached(step.target, facts)) ||
    // A clear answer is enough for fields that the credentials cannot read.
    (isHidden && phase.answer.kind === 'accepted')
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
  if (!isChanging && wasChanging) {
    if (isHidden) return unclear(state, phase, now)
    return fail(state, notCompleted(task, status, answer), now)
  }
  const isFailure = answer.kind === 'lost' && isLate && !isChanging && unchanged > 1
  if (isOver && !isFailure) return fail(state, late(task, answer), now)
  if (isChanging) {
    const delay = request === 'working' ? longestWorkDelay : longestDelay
    return watchOn(state, { ...seen, unchanged: 0 }, now, times, delay)
  }
  if (!isLate) return watchOn(state, seen, now, times)
  switch (answer.kind) {
    case 'accepted':
    case 'working':
      return fail(state, withoutEffect(task, status, answer), now)
    case 'interrupted':
      return fail(state, interrupted(task, status), now)
    case 'lost': {
      if (unchanged < 2) return watchOn(state, seen, now, times)
      if (step.isInvisible || isHidden) return unclear(state, phase, now)
      const text = facts
        ? `${answer.message} The server is still ${nameOfStatus(status)}.`
        : answer.message
      const values = { status, ...answerValues(answer) }
      return fail(state, failed('no_answer', text, task, values), now)
    }
  }
}

/** Whether the server does not show that the request was carried out: of a disk, it shows nothing. */
const isInvisible = (step: Step): boolean =>
  step.isInvisible === true || requestOf(step)?.target !== undefined

/** Whether the server shows that the last request was carried out, and the source does not say otherwise. */
const isShownBy = (step: Step, facts: ReportedFacts | undefined, request?: RequestState): boolean =>
  isLastRequest(step) &&
  !isInvisible(step) &&
  isReached(step.target, facts) &&
  (request !== false || isShownByStatus(step))

/** Fields may show less than a request changes, and those of an earlier request of the step. */
const isShownByStatus = ({ requests = [], target }: Step): boolean =>
  requests.length < 2 && target.kind !== 'fields'

const isRefused = (answer: Answer): answer is LostAnswer & { readonly refusal: ActionErrorKind } =>
  answer.kind === 'lost' && answer.refusal !== undefined

/** Whether the source shows no field that differs from the target. */
function isUnreadTarget(target: Target, reading: Reading): boolean {
  if (target.kind !== 'fields' || !reading || !('facts' in reading)) return false
  const { facts, unread = [] } = reading
  const left = Object.entries(target.changes).filter(
    ([name, value]) => !isReached({ kind: 'fields', changes: { [name]: value } }, facts),
  )
  return left.length > 0 && left.every(([name]) => (unread as readonly string[]).includes(name))
}

/** Whether the source works on the request; undefined if it does not tell. */
function isBusyWith(
  request: RequestState,
  { kind }: Watch['answer'],
  reading: Reading,
): boolean | undefined {
  if (request === 'working') return true
  if (kind !== 'working') return undefined
  const isBusy = reading && 'facts' in reading ? reading.isBusy : undefined
  return isBusy ?? (request === 'idle' || request === false ? false : undefined)
}

/** The source refused the request, or its work on it has ended with an error. */
export function notDone(
  state: TaskState,
  error_class: 'source_refused' | 'source_failed',
  answer: LostAnswer,
  reason: ActionErrorKind,
  now: number,
): TaskState {
  const { task } = state
  // The next step uses another way.
  if (stepOf(task).isOptional) return advance(state, now, undefined, false)
  const values = { ...answerValues(answer), reason }
  return fail(state, failed(error_class, answer.message, task, values), now)
}

function watchOn(
  state: TaskState,
  phase: Watch,
  now: number,
  times: TaskTimes,
  longest = longestDelay,
): TaskState {
  const moments = [conclusionOf(state, phase, times), deadlineOf(state, times)]
  const { delay } = state
  return {
    ...state,
    phase,
    at: Math.min(now + delay, ...moments.filter((time) => time > now)),
    delay: Math.min(2 * delay, longest),
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
  // The source has confirmed the deletion.
  if (isDeleted && error instanceof UnconfirmedAbsence) return advance(state, now)
  // A refused request has changed nothing, so that the server must not wait for long.
  const isOver = isRefused(phase.answer) && now >= conclusionOf(state, phase, times)
  if (now < deadlineOf(state, times) && !isOver) {
    const isLogin = error instanceof SourceError && error.kind === 'credentials'
    return watchOn(state, phase, now, times, isLogin ? longestLoginDelay : longestDelay)
  }
  if (isRefused(phase.answer)) {
    return notDone(state, 'source_refused', phase.answer, phase.answer.refusal, now)
  }
  const reason = explainError(error)
  const text = `${messageOf(phase.answer)} The request was sent, but the server can no longer be read: ${reason}`
  return fail(state, unknown('time_limit', text.trim(), task, answerValues(phase.answer)), now)
}

/** Nothing shows whether a request without an answer was carried out. */
function unclear(state: TaskState, { answer }: Watch, now: number): TaskState {
  const { task } = state
  if (stepOf(task).isOptional) return advance(state, now, undefined, false)
  const { kind } = stepOf(task).call
  const causes = {
    accepted: `The source accepted the request "${kind}".`,
    working: `The source did not answer the request "${kind}" in time.`,
    interrupted: stoppedWhileSending(task),
  }
  const cause = answer.kind === 'lost' ? answer.message : causes[answer.kind]
  const text = `${cause} The server does not show whether it was done.`
  const error_class = answer.kind === 'interrupted' ? 'interrupted' : 'no_answer'
  return fail(state, unknown(error_class, text, task, answerValues(answer)), now)
}
