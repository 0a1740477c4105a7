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

/** Rows per turn. They take the serving thread a few milliseconds. */
const rowsPerTurn = 128

/** The rows of a response in chunks. Other requests run between the chunks. */
export async function* inTurns<Row>(
  rows: readonly Row[],
  size = rowsPerTurn,
): AsyncGenerator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) {
    if (start > 0) await nextTurn()
    yield rows.slice(start, start + size)
  }
}
