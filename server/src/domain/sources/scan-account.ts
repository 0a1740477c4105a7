import type { Sighting } from '../inventory/ports.ts'
import type { SyncCounts } from './account.ts'
import type { Attendant } from './attend-account.ts'
import { batchSize, inBatches } from './in-batches.ts'
import type { SeenServer, Source, SourceNews, UnreadableServer } from './source.ts'
import { serverIdOf } from './to-facts.ts'

interface Scanning {
  readonly source: Source
  readonly attendant: Attendant
  /** What the account said before. */
  readonly known: ReadonlyMap<string, Sighting>
  readonly signal: AbortSignal
  /** Whether something newer has been heard of a server since the scan began. */
  readonly isOvertaken: (id: string) => boolean
  readonly onProgress: (counts: SyncCounts) => void
}

export interface Scanned {
  readonly counts: SyncCounts
  /** How many were missed for the first time, in a scan that missed too many to be believed at once. */
  readonly doubted: number
  /** Servers that exist but could not be read. */
  readonly unreadable: readonly UnreadableServer[]
}

/** While one batch is being written the next one is made ready. */
const inFlight = 2

/**
 * Asks a source for everything, and writes down what is new as it comes. Who was not told of is gone,
 * but only once the source has told all; and where that would be more than half of them, only once it
 * has left them out twice.
 */
export async function scanAccount(scanning: Scanning): Promise<Scanned> {
  const { source, attendant, known, signal, isOvertaken, onProgress } = scanning
  const seen = new Set<string>()
  /** Of whom the source itself says that they have ended: nobody need wonder where they are. */
  const ended = new Set<string>()
  const counts = { seen: 0, created: 0, changed: 0, gone: 0 }
  const underWay = new Set<Promise<void>>()
  const unreadable: UnreadableServer[] = []
  let waiting: SeenServer[] = []

  async function record(present: readonly SeenServer[], gone: readonly string[]): Promise<void> {
    const recorded = await attendant.record(present, gone, known)
    counts.created += recorded.created
    counts.changed += recorded.changed
    counts.gone += recorded.gone
    onProgress({ ...counts })
  }

  /** What fails is thrown where the scan waits for it next. */
  async function start(present: readonly SeenServer[], gone: readonly string[]): Promise<void> {
    if (present.length + gone.length === 0) return
    const writing = record(present, gone)
    const settled = writing.finally(() => underWay.delete(settled))
    settled.catch(() => {})
    underWay.add(settled)
    if (underWay.size >= inFlight) await Promise.race(underWay)
  }

  async function take({ present, gone, unreadable: unread = [] }: SourceNews): Promise<void> {
    for (const server of present) {
      const id = serverIdOf(server)
      seen.add(id)
      if (!isOvertaken(id)) waiting.push(server)
    }
    for (const server of unread) {
      const id = serverIdOf(server)
      seen.add(id)
      if (!isOvertaken(id)) unreadable.push(server)
    }
    counts.seen = seen.size
    const goneIds = gone.map((key) => serverIdOf({ key })).filter((id) => !isOvertaken(id))
    for (const id of goneIds) ended.add(id)
    await start([], goneIds)
    while (waiting.length >= batchSize) {
      const batch = waiting.slice(0, batchSize)
      waiting = waiting.slice(batchSize)
      await start(batch, [])
    }
    onProgress({ ...counts })
  }

  try {
    for await (const page of source.scan(signal)) await take(page)
    signal.throwIfAborted()
    await start(waiting, [])
    await Promise.all(underWay)
  } finally {
    await Promise.allSettled(underWay)
  }

  for (const batch of inBatches(unreadable)) {
    counts.changed += await attendant.recordUnreadable(batch, known)
  }
  const expected = [...known.values()].filter(({ serverId }) => !ended.has(serverId))
  const missing = expected.filter(({ serverId }) => !seen.has(serverId) && !isOvertaken(serverId))
  const isHardToBelieve = missing.length > expected.length / 2
  const doubted = isHardToBelieve ? missing.filter(({ missed }) => missed === 0) : []
  const gone = isHardToBelieve ? missing.filter(({ missed }) => missed > 0) : missing
  for (const batch of inBatches(doubted)) {
    await attendant.doubt(batch.map((sighting) => ({ ...sighting, missed: 1 })))
  }
  for (const batch of inBatches(gone)) {
    await record(
      [],
      batch.map(({ serverId }) => serverId),
    )
  }
  return { counts: { ...counts }, doubted: doubted.length, unreadable }
}
