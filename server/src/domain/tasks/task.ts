import type {
  BatchStatus,
  ErrorValues,
  ServerAction,
  TaskErrorClass,
  TaskParameters,
  TaskStatus,
} from '@muster/contract'
import type { PlatformError } from '../error.ts'
import type { TokenScope } from '../identity/records.ts'
import type { Step } from './plan-steps.ts'

/** An action on a server, as it is stored. Times are milliseconds since 1970. */
export interface TaskRecord {
  readonly id: string
  readonly action: ServerAction
  readonly params: TaskParameters
  readonly server_id: string
  readonly server: string
  readonly account_id: string
  /** The owner of the server when the task was accepted. */
  readonly project_id: string
  readonly domain_id: string
  /** Empty for Muster's own tasks. */
  readonly user_id: string
  readonly user: string
  /** The scope of the token, in which the permission is checked again at the start. */
  readonly caller_scope: TokenScope
  /** The access key of the token; empty without one. */
  readonly access_key_id: string
  readonly status: TaskStatus
  readonly stage: string
  readonly progress: number
  /** Also while the task undoes its first steps after a failure. */
  readonly error: string
  readonly error_class: TaskErrorClass
  readonly error_values: ErrorValues
  readonly batch_id: string
  readonly created_at: number
  readonly started_at: number | null
  readonly finished_at: number | null
  readonly request_id: string
  readonly ip: string
  /** The program that acted for the user, such as an assistant; otherwise empty. */
  readonly through: string
  readonly status_before: string
  /** The current step, how often its request was sent, and when last. */
  readonly step: number
  readonly sends: number
  readonly sent_at: number | null
  /** Empty until the task starts. */
  readonly plan: readonly Step[]
  /** Whether the server still shows the status of this task, or its guest may still shut down after a failed restart. */
  readonly isShown: boolean
}

export interface BatchRecord {
  readonly id: string
  readonly action: ServerAction
  readonly params: TaskParameters
  readonly status: BatchStatus
  readonly total: number
  readonly matched: string
  readonly max_parallel: number
  readonly max_failures: number
  /** The scope of the token; both are empty for the system. */
  readonly project_id: string
  readonly domain_id: string
  readonly user_id: string
  readonly user: string
  readonly created_at: number
  readonly finished_at: number | null
}

export const isFinished = ({ status }: Pick<TaskRecord, 'status'>): boolean =>
  status !== 'queued' && status !== 'running'

/** The fields that differ. */
export const changesOf = (before: TaskRecord, after: TaskRecord): Partial<TaskRecord> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => before[name as keyof TaskRecord] !== value),
  )

/** The stage of tasks that a batch refused when it was accepted. */
export const refusedStage = 'refused'

/** What a task stores of an error. */
export type TaskError = Pick<TaskRecord, 'error' | 'error_class' | 'error_values'>

export const refusedError = (error: PlatformError): TaskError => ({
  error: error.message,
  error_class: 'refused',
  error_values: { class: error.class, ...error.values },
})

/** How a task ended. */
export interface TaskEnd extends TaskError {
  readonly status: Extract<TaskStatus, 'succeeded' | 'failed' | 'cancelled' | 'unknown'>
}

export const cancelled = (error: string): TaskEnd => ({
  status: 'cancelled',
  error,
  error_class: 'cancelled',
  error_values: {},
})
