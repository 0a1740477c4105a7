import { ActionError, type SourceCall, type SourceRequest } from '../sources/action-port.ts'
import { explainError } from '../sources/explain-error.ts'
import { SourceError, type SourceErrorKind } from '../sources/source-error.ts'
import { nameOfStatus } from './shown-status.ts'
import type { TaskEnd, TaskRecord } from './task.ts'
import { nameOf, requestOf, stepOf, type Answer, type LostAnswer } from './task-state.ts'

export const succeeded: TaskEnd = {
  status: 'succeeded',
  error: '',
  error_class: '',
  error_values: {},
}

/** The error of a task that has undone its steps. */
export const failureOf = ({ error, error_class, error_values }: TaskRecord): TaskEnd => ({
  status: 'failed',
  error,
  error_class,
  error_values,
})

type Values = TaskEnd['error_values']

const valuesOf = (task: TaskRecord, values: Values): Values => {
  const step = task.plan[task.step]
  const request = step && requestOf(step)
  return {
    action: task.action,
    ...(request && { request: nameOf(request) }),
    ...values,
  }
}

export const failed = (
  error_class: TaskEnd['error_class'],
  error: string,
  task: TaskRecord,
  values: Values = {},
): TaskEnd => ({ status: 'failed', error, error_class, error_values: valuesOf(task, values) })

export const unknown = (...given: Parameters<typeof failed>): TaskEnd => ({
  ...failed(...given),
  status: 'unknown',
})

export const gone = (task: TaskRecord) =>
  failed('server_gone', 'The source no longer has the server.', task)

/** With the source's own answer, if it was an error. */
export const late = (task: TaskRecord, answer: Answer) =>
  unknown(
    'time_limit',
    `${messageOf(answer)} The request "${stepOf(task).call.kind}" was sent, but the source did not show the result in time.`.trim(),
    task,
    answerValues(answer),
  )

/** The server is as before, and nothing is under way. */
export function notCompleted(task: TaskRecord, status: string, answer: Answer): TaskEnd {
  const { call, requests } = stepOf(task)
  const begin =
    requests?.length === 0
      ? `The source needed no request for "${call.kind}"`
      : `The source accepted the request "${call.kind}"`
  const cause = messageOf(answer) || `${begin} but did not complete it.`
  const text = `${cause} The server is ${nameOfStatus(status)}.`
  return failed('source_failed', text, task, { status, ...answerValues(answer) })
}

function guestStayedOn(task: TaskRecord): TaskEnd {
  const seconds = Math.round((stepOf(task).within ?? 0) / 1_000)
  const later =
    task.action === 'restart' ? ' If it does so later, Muster starts the server again.' : ''
  const text = `The guest did not shut down within ${seconds} s.${later} To switch it off, use is_force=true.`
  return failed('guest_did_not_stop', text, task, { seconds })
}

/** The source accepted the request, and the server is as before. */
export const withoutEffect = (task: TaskRecord, status: string, answer: Answer): TaskEnd =>
  stepOf(task).within === undefined ? notCompleted(task, status, answer) : guestStayedOn(task)

export const stoppedWhileSending = (task: TaskRecord) =>
  `Muster stopped while sending the request "${stepOf(task).call.kind}".`

export const interrupted = (task: TaskRecord, status: string): TaskEnd =>
  unknown(
    'interrupted',
    `${stoppedWhileSending(task)} The server is ${nameOfStatus(status)}: repeat the action if you still want it.`,
    task,
    { status },
  )

/** Errors with a response of the source. Others are of the connection. */
const responses: ReadonlySet<SourceErrorKind> = new Set([
  'credentials',
  'forbidden',
  'throttled',
  'failed',
])

/** What the source said, if it said something. */
function answerOf(error: unknown): string | undefined {
  const isAnswer =
    error instanceof ActionError
      ? error.isAnswer
      : error instanceof SourceError && responses.has(error.kind)
  return isAnswer ? explainError(error) : undefined
}

export const errorValues = (error: unknown): Values => withAnswer(answerOf(error))
export const answerValues = (answer: Answer): Values =>
  withAnswer(answer.kind === 'lost' ? answer.answer : undefined)
const withAnswer = (answer: string | undefined): Values => (answer === undefined ? {} : { answer })

export const messageOf = (answer: Answer) => (answer.kind === 'lost' ? answer.message : '')

export const explainLost = (error: unknown, call: SourceCall): LostAnswer =>
  error instanceof ActionError
    ? { kind: 'lost', message: explainError(error), answer: answerOf(error) }
    : {
        kind: 'lost',
        message: `The source did not answer the request "${call.kind}".`,
        answer: undefined,
      }

/** Names what was done and what is left, if only some requests were carried out. */
export function withParts(task: TaskRecord, result: TaskEnd): TaskEnd {
  const names = (requests: readonly SourceRequest[]) => requests.map(nameOf)
  const done = task.plan.flatMap((step) => names((step.requests ?? []).slice(0, step.done ?? 0)))
  if (done.length === 0 || result.status === 'succeeded') return result
  const left = task.plan.slice(task.step).flatMap((step) => {
    return step.requests ? names(step.requests.slice(step.done ?? 0)) : [step.call.kind]
  })
  const remaining = [...new Set(left)]
  return {
    ...result,
    error: `${result.error} Done: ${done.join(', ')}. Remaining: ${remaining.join(', ')}.`,
    error_values: { ...result.error_values, done, remaining },
  }
}

export const unreadable = new SourceError('invalid-response', 'The source cannot read the server.')
