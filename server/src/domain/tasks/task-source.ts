import { isUnavailable } from '../error.ts'
import type { ServerActor, SourceCall, SourceRequest } from '../sources/action-port.ts'
import type { Reading } from '../sources/record-together.ts'
import { SourceError } from '../sources/source-error.ts'
import type { ServerReference } from '../sources/source.ts'
import type { TaskTimes } from './task-state.ts'

export interface TaskSourceContext {
  /** Reads the server from its source. */
  readonly read: (reference: ServerReference) => Promise<Reading>
  readonly openActor: (signal: AbortSignal) => Promise<ServerActor>
  readonly limits: Pick<TaskTimes, 'call'>
  readonly signal: AbortSignal
}

/** An error of the source. Errors of the storage say nothing about it: the task is tried again later. */
export class SourceFailure extends Error {
  constructor(cause: unknown) {
    super('a source failed', { cause })
    this.name = 'SourceFailure'
  }
}

async function ofSource<Result>(
  work: Promise<Result> | undefined,
  signal: AbortSignal,
): Promise<Result> {
  try {
    return (await work) as Result
  } catch (error) {
    signal.throwIfAborted()
    // Of the database, which is read for the credentials.
    if (isUnavailable(error)) throw error
    throw new SourceFailure(error)
  }
}

/** The source of a task's server. What fails there is thrown as `SourceFailure`. */
export function createTaskSource({ read, openActor, limits, signal }: TaskSourceContext) {
  let actor: ServerActor | undefined

  const limited = () => AbortSignal.any([signal, AbortSignal.timeout(limits.call)])

  async function open(): Promise<ServerActor> {
    const limit = limited()
    actor ??= await openActor(limit).catch((error: unknown) => {
      signal.throwIfAborted()
      if (error instanceof SourceError) throw new SourceFailure(error)
      if (!limit.aborted) throw error
      throw new SourceFailure(new SourceError('timeout', 'The source did not answer in time.'))
    })
    return actor
  }

  return {
    open,
    read: (reference: ServerReference) => ofSource(read(reference), signal),

    async plan(call: SourceCall, reference: ServerReference) {
      return await ofSource((await open()).plan(call, reference, limited()), signal)
    },

    /** A request that is on its way is not interrupted: its outcome would be unknown. */
    async send(request: SourceRequest, reference: ServerReference, time: number) {
      const limit = AbortSignal.timeout(time)
      return await (await open()).send(request, reference, limit).catch((error: unknown) => {
        throw new SourceFailure(error)
      })
    },

    /** Whether a request without an answer was carried out; undefined if the source cannot tell. */
    async check(request: SourceRequest, reference: ServerReference) {
      return await ofSource((await open()).check?.(request, reference, limited()), signal)
    },

    async close(): Promise<void> {
      const opened = actor
      actor = undefined
      await opened?.close().catch(() => {})
    },
  }
}
