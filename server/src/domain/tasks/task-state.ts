import type {
  ActionErrorKind,
  RequestState,
  SourceCall,
  SourceRequest,
} from '../sources/action-port.ts'
import type { Reading } from '../sources/record-together.ts'
import type { ReportedFacts } from '../sources/source.ts'
import type { Step } from './plan-steps.ts'
import type { TaskEnd, TaskRecord } from './task.ts'

/**
 * The state of a task that this process runs, as a state machine without effects:
 *
 *     begin ─▶ plan ─▶ send ─▶ watch ─▶ plan of the next step, or end
 *                ▲       │ (the source did nothing)
 *                └ look ◀┘
 *
 * A changing request is sent once. It is sent again only if nothing can have been done: the source said so,
 * or could not be reached. `run-task.ts` performs the effects.
 */
export interface TaskState {
  /** With changes that the next commit stores. */
  readonly task: TaskRecord
  readonly phase: Phase
  /** When the next effect is due, and the pause after it. */
  readonly at: number
  readonly delay: number
  /** When the time limit began: with the task, or when it began to start a server that it had stopped. */
  readonly startedAt: number
  /** When the first of several attempts failed that sent nothing. */
  readonly failingSince: number | undefined
}

export type Phase =
  /** Decide again on the state that the source shows now. */
  | { readonly kind: 'begin' }
  /** Read the server before a request is sent. */
  | { readonly kind: 'look' }
  | { readonly kind: 'plan' }
  | { readonly kind: 'send' }
  /** Read the server until it shows the result of a request. */
  | Watch
  | { readonly kind: 'end'; readonly end: TaskEnd }

export interface Watch {
  readonly kind: 'watch'
  readonly answer: Answer
  /** When the request was sent. */
  readonly since: number
  /** Whether the source has shown that it works on it. */
  readonly wasChanging: boolean
  /** Readings that show the server as it was before. */
  readonly unchanged: number
}

/** No answer, or an error of the source itself, in its words. */
export interface LostAnswer {
  readonly kind: 'lost'
  readonly message: string
  /** What the source said. */
  readonly answer: string | undefined
  /** Set if the source refused the request. */
  readonly refusal?: ActionErrorKind | undefined
}

export type Answer =
  | { readonly kind: 'accepted' | 'working' }
  | LostAnswer
  /** Sent by a process that is gone. */
  | { readonly kind: 'interrupted' }

/** Milliseconds. */
export interface TaskTimes {
  /** For a task, from its start. */
  readonly task: number
  /** For one request. */
  readonly call: number
  /** After this time another process may have taken over the account. */
  readonly lease: number
  /** After the time limit of a request without an answer, until an unchanged server means that it failed. */
  readonly settle: number
}

export type NextStep =
  | { readonly kind: 'begin' | 'look'; readonly at: number }
  | { readonly kind: 'plan'; readonly at: number; readonly call: SourceCall }
  | { readonly kind: 'send'; readonly at: number; readonly request: SourceRequest }
  /** With a request whose answer is missing: the source may tell whether it was carried out. */
  | {
      readonly kind: 'watch'
      readonly at: number
      readonly unanswered: SourceRequest | undefined
    }
  | { readonly kind: 'end'; readonly end: TaskEnd }

export type TaskEvent =
  | { readonly kind: 'begun'; readonly plan: readonly Step[]; readonly facts: ReportedFacts }
  /** There is nothing to do. */
  | { readonly kind: 'done' }
  /** Muster must not continue, for a reason of its own. */
  | { readonly kind: 'stopped'; readonly end: TaskEnd }
  | { readonly kind: 'planned'; readonly requests: readonly SourceRequest[] }
  /** The request is sent after the next commit. */
  | { readonly kind: 'sending' }
  | { readonly kind: 'accepted' | 'working' | 'pending' }
  | {
      readonly kind: 'read'
      readonly reading: Reading
      readonly request?: RequestState
      /** Why the source did not tell whether the request was carried out. */
      readonly error?: unknown
    }
  /** An effect failed. */
  | { readonly kind: 'failed'; readonly error: unknown }

export const stepOf = (task: TaskRecord) => task.plan[task.step] as Step
export const requestOf = ({ requests = [], done = 0 }: Step) => requests[done]
export const isLastRequest = ({ requests = [], done = 0 }: Step) => done + 1 >= requests.length
export const nameOf = ({ name, target }: SourceRequest) =>
  target === undefined ? name : `${name} ${target}`
export const isUntouched = ({ step, sends, sent_at }: TaskRecord) =>
  step === 0 && sends === 0 && sent_at === null
/** A restart that stops here would be a stop. */
export const isStartAfterStop = ({ plan, step }: TaskRecord) =>
  step > 0 && plan[step]?.call.kind === 'start'
export const factsOf = (reading: Reading): ReportedFacts | undefined =>
  reading && 'facts' in reading ? reading.facts : undefined
export const changeStep = (task: TaskRecord, changes: Partial<Step>): TaskRecord => ({
  ...task,
  plan: task.plan.map((step, at) => (at === task.step ? { ...step, ...changes } : step)),
})

export const isAccepted = ({ kind }: Answer) => kind === 'accepted' || kind === 'working'

/** Whether the source must be asked if the request was carried out. Its work on it may still fail. */
export const isUnanswered = (step: Step, { answer }: Watch) =>
  answer.kind !== 'accepted' || !isLastRequest(step)

export const deadlineOf = ({ startedAt }: TaskState, { task }: TaskTimes): number =>
  startedAt + task

/** When an unchanged server means that the request had no effect. */
export function conclusionOf(state: TaskState, { answer, since }: Watch, times: TaskTimes): number {
  const { within } = stepOf(state.task)
  switch (answer.kind) {
    case 'accepted':
      // The source accepted it and shows no change: nothing is under way.
      return since + (within ?? 2 * (times.call + times.settle))
    case 'working':
      return since + (within ?? Infinity)
    case 'lost': {
      // The guest's time can be longer than what is left of the task.
      const left = deadlineOf(state, times) - since
      return since + Math.max(times.call + times.settle, Math.min(within ?? 0, left))
    }
    case 'interrupted':
      return since + Math.max(times.lease + times.call, within ?? 0)
  }
}
