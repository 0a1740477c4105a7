import type { ServerFacts } from '../domain/inventory/server-facts.ts'
import type { Simulator } from '../sources/simulator/simulator.ts'

/** Writes down what a source saw, and only what is new in it. */
export type RecordScan = (scan: {
  readonly present: readonly ServerFacts[]
  readonly gone: readonly string[]
}) => Promise<unknown>

interface Load {
  readonly simulator: Simulator
  /** As of when. */
  readonly moment: number
  /** So many are in already. */
  readonly from: number
  readonly recordServers: RecordScan
  /** Called with how many are in without a gap, each time that there are more. */
  readonly onLoaded: (loaded: number) => Promise<void>
}

export const batchSize = 1_000
/** While one is being written the next is made. */
const inFlight = 2

/** Loads a fleet, batch by batch in its order. Cut off, it goes on where it was the next time. */
export async function loadDemo({ simulator, moment, from, recordServers, onLoaded }: Load) {
  const batches = simulator.batches(batchSize, moment, from)
  const ends = new Map<number, number>()
  let loaded = from
  let noted = Promise.resolve()

  async function finish(start: number, end: number): Promise<void> {
    ends.set(start, end)
    const before = loaded
    for (let next = ends.get(loaded); next !== undefined; next = ends.get(loaded)) loaded = next
    if (loaded === before) return
    // One after the other: an older number must not come after a newer one.
    const reached = loaded
    noted = noted.then(() => onLoaded(reached))
    await noted
  }

  async function work(): Promise<void> {
    for (const { start, end, present, gone } of batches) {
      await recordServers({ present, gone: [] })
      // Only what was there can be gone.
      if (gone.length > 0) await recordServers({ present: [], gone })
      await finish(start, end)
    }
  }

  await Promise.all(Array.from({ length: inFlight }, work))
}
