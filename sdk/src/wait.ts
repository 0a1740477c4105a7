import type { Answer } from './auth/auth.ts'
import type { Client } from './client.ts'
import type { Output } from './operations.ts'
import { sleep as pause, type Sleep } from './sleep.ts'

export type Task = Output<'getTask'>['task']
export type Batch = Output<'getBatch'>['batch']

/** A task did not succeed, or some tasks of a batch did not. `result` is the task or the batch. */
export class ActionFailedError<Result extends Task | Batch = Task | Batch> extends Error {
  override readonly name = 'ActionFailedError'
  readonly result: Result

  constructor(message: string, result: Result) {
    super(message)
    this.result = result
  }
}

interface WaitOptions<Result> {
  /** Ends the waiting, for example `AbortSignal.timeout(60_000)`. The action goes on. */
  readonly signal?: AbortSignal
  /** Called with every state that was read. */
  readonly onProgress?: (state: Result) => void
  /** Waits between requests. Replace it in tests. */
  readonly sleep?: Sleep
}

/** In milliseconds. The pause between two requests grows: most actions take seconds, some take minutes. */
const firstPause = 500
const maxPause = 5_000
const growth = 1.5

/** Reads a state until it has ended. */
async function poll<State extends { readonly finished_at: string | null }>(
  read: () => Promise<State>,
  { signal, onProgress, sleep = pause }: WaitOptions<State>,
): Promise<State> {
  for (let delay = firstPause; ; delay = Math.min(maxPause, delay * growth)) {
    signal?.throwIfAborted()
    const state = await read()
    onProgress?.(state)
    if (state.finished_at !== null) return state
    await sleep(delay, signal)
  }
}

type TaskClient = Pick<Client, 'getTask'>
type BatchClient = Pick<Client, 'getBatch'>

/**
 * Waits until a task has ended. Takes its id, or the response of the action, which has no task if nothing had to be
 * done. Throws an `ActionFailedError` if the task did not succeed.
 */
export async function waitForTask(
  client: TaskClient,
  task: string,
  options?: WaitOptions<Task>,
): Promise<Task>
export async function waitForTask(
  client: TaskClient,
  task: Answer<unknown>,
  options?: WaitOptions<Task>,
): Promise<Task | undefined>
export async function waitForTask(
  client: TaskClient,
  started: string | Answer<unknown>,
  options: WaitOptions<Task> = {},
): Promise<Task | undefined> {
  const id = typeof started === 'string' ? started : started.headers.get('x-task-id')
  if (id === null) return undefined
  const { signal } = options
  const task = await poll(
    async () => (await client.getTask({ parameters: { id }, signal })).task,
    options,
  )
  if (task.status === 'succeeded') return task
  const reason = task.error === '' ? '' : `: ${task.error}`
  throw new ActionFailedError(`${task.action} of ${task.server} ${task.status}${reason}`, task)
}

/**
 * Waits until all tasks of a batch have ended. Throws an `ActionFailedError` if some of them did not succeed, or
 * were refused.
 */
export async function waitForBatch(
  client: BatchClient,
  id: string,
  options: WaitOptions<Batch> = {},
): Promise<Batch> {
  const { signal } = options
  const batch = await poll(
    async () => (await client.getBatch({ parameters: { id }, signal })).batch,
    options,
  )
  const { failed, refused, cancelled, unknown } = batch
  if (batch.status === 'finished' && failed + refused + cancelled + unknown === 0) return batch
  throw new ActionFailedError(
    `${batch.action} ${batch.status}: ${failed} failed, ${refused} refused, ${cancelled} cancelled, ${unknown} unknown`,
    batch,
  )
}
