import { setImmediate as nextImmediate } from 'node:timers/promises'

let last = Promise.resolve()

/**
 * Waits for a turn of the event loop in which no other long work runs. Long work is done in chunks of a
 * few milliseconds with this between them, so that quick requests wait for one chunk only, however
 * many requests have such work.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => nextImmediate())
  return last
}
