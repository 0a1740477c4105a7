import type { ReportedFacts } from '../sources/source.ts'
import { isReached, startStep, type Step } from './plan-steps.ts'
import type { TaskEnd, TaskRecord } from './task.ts'
import { failureOf, succeeded, withParts } from './task-errors.ts'
import {
  changeStep,
  isLastRequest,
  isStartAfterStop,
  requestOf,
  stepOf,
  type Answer,
  type LostAnswer,
  type Phase,
  type TaskState,
} from './task-state.ts'

/** The delay before the first reading, and before the first attempt to send again. */
export const firstDelay = 1_000

export const end = (state: TaskState, result: TaskEnd): TaskState => ({
  ...state,
  phase: { kind: 'end', end: result },
})

/** The next step, or the next request of a step. */
export function enterStep(state: TaskState, task: TaskRecord, now: number, facts?: ReportedFacts) {
  const entered = { ...state, task, at: now, delay: firstDelay, failingSince: undefined }
  const step = task.plan[task.step]
  if (!step) return end(entered, task.error === '' ? succeeded : failureOf(task))
  if (facts && !step.isInvisible && isReached(step.target, facts)) {
    return advance(entered, now, facts, false)
  }
  // After a step has begun, the state of the server does not show which requests are left.
  const isUnknown = !facts && !step.isInvisible && (step.done ?? 0) === 0
  return { ...entered, phase: isUnknown ? { kind: 'look' as const } : toSend(step) }
}

export const toSend = (step: Step): Phase => ({ kind: requestOf(step) ? 'send' : 'plan' })

/** Goes to the next step, whose target the server may show already. */
export function advance(
  state: TaskState,
  now: number,
  facts?: ReportedFacts,
  isDone = true,
): TaskState {
  const { requests = [] } = stepOf(state.task)
  const task = isDone ? changeStep(state.task, { done: requests.length }) : state.task
  const next = { ...task, step: task.step + 1, sent_at: null, stage: '' }
  const startedAt = isStartAfterStop(next) ? now : state.startedAt
  return enterStep({ ...state, startedAt }, next, now, facts)
}

/** The source has carried the request out, or works on it. */
export function carriedOut(
  state: TaskState,
  now: number,
  accepted: 'accepted' | 'working' = 'accepted',
): TaskState {
  const { task } = state
  const step = stepOf(task)
  if (accepted === 'accepted' && !isLastRequest(step)) {
    const done = (step.done ?? 0) + 1
    const cleared = { lost: undefined, answer: undefined, refusal: undefined }
    const changes = { done, accepted: undefined, ...cleared }
    const next = changeStep({ ...task, sent_at: null }, changes)
    return enterStep(state, next, now)
  }
  const known = { ...state, task: changeStep(task, { accepted }) }
  return watchSoon(known, { kind: accepted }, task.sent_at ?? now, now)
}

export const watch = (state: TaskState, answer: Answer, since: number): TaskState => ({
  ...state,
  phase: { kind: 'watch', answer, since, wasChanging: false, unchanged: 0 },
})

export const watchSoon = (
  state: TaskState,
  answer: Answer,
  since: number,
  now: number,
): TaskState => ({
  ...watch(state, answer, since),
  at: now + firstDelay,
  delay: 2 * firstDelay,
  failingSince: undefined,
})

/** No answer, or an error of the source itself. It is stored, because it is the error of the task in the end. */
export function lost(state: TaskState, answer: LostAnswer, now: number): TaskState {
  const { message, answer: words, refusal } = answer
  const task = changeStep(state.task, { lost: message, answer: words, refusal })
  return watchSoon({ ...state, task }, answer, task.sent_at ?? now, now)
}

/** Ends the task. A server that ran before is started again when a later step fails. */
export function fail(state: TaskState, given: TaskEnd, now: number): TaskState {
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
  // It can be started only when the resize is confirmed.
  if (step?.call.kind === 'confirm-resize') {
    const text = `${result.error} The server is stopped and waits for the confirmation of its new size. Repeat the change to confirm it, then start the server.`
    return end(state, { ...result, error: text })
  }
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
