import { setTimeout as pause } from 'node:timers/promises'

/** Something that the start needs is not available yet, such as a database that is starting. */
export class NotYet extends Error {}

interface Settings {
  /** The time limit for all waits together, in milliseconds. */
  readonly startTimeout: number
  readonly signal?: AbortSignal | undefined
  readonly log: { warn(fields: object, message: string): void }
  /** Called with the reason before each pause. */
  readonly onWait: (reason: string) => void
}

export type AwaitStart = <Value>(work: () => Promise<Value>) => Promise<Value>

const [firstPause, longestPause] = [250, 2_000]
const logInterval = 30_000

/** Repeats work that fails with `NotYet`, until the time is over. */
export function createAwaitStart({ startTimeout, signal, log, onWait }: Settings): AwaitStart {
  const deadline = performance.now() + startTimeout
  let logged = { reason: '', time: 0 }

  function note(reason: string): void {
    onWait(reason)
    const time = performance.now()
    if (reason === logged.reason && time < logged.time + logInterval) return
    logged = { reason, time }
    log.warn({ reason }, 'waiting to start')
  }

  return async function awaitStart(work) {
    for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof NotYet) || performance.now() + wait > deadline) throw error
        note(error.message)
        await pause(wait, undefined, { signal })
      }
    }
  }
}
