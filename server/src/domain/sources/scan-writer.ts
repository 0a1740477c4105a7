import type { BoundedQueue } from '../bounded-queue.ts'
import type { Recorded } from '../inventory/record-servers.ts'
import type { KnownSightings } from './ports.ts'
import type { ChangedServer, ScanRecorder } from './record-scan.ts'

export interface WriterOptions {
  readonly recorder: ScanRecorder
  /** The last report about each server. */
  readonly known: KnownSightings
  /** Limits how many chunks are written at once, over all accounts. */
  readonly writePermits: Pick<BoundedQueue, 'acquire'>
  readonly clock: () => number
}

/**
 * Servers per commit. Each account that is being scanned has as many in memory. Among a million servers,
 * larger commits cost no less: hardly two servers of a commit share a page of an index.
 */
export const batchSize = 500
/** Or so many characters of reports, so that large servers do not fill the memory. */
const batchLength = 2 ** 23
/** A slow source's servers are written this often, even if a batch is not full. */
const longestWait = 1_000
/** One batch is prepared while another one waits for its new texts, and a third one is written. */
const maxWrites = 3

/** Writes the changes that a scan finds in batches, while the scan reads on. */
export function createScanWriter(
  { recorder, known, writePermits, clock }: WriterOptions,
  onRecorded: (recorded: Recorded) => void,
) {
  const writes = new Set<Promise<void>>()
  let pending: ChangedServer[] = []
  let pendingLength = 0
  let writtenAt = clock()

  async function record(changed: readonly ChangedServer[], gone: readonly string[]): Promise<void> {
    onRecorded(await recorder.record(changed, gone, known))
  }

  /**
   * Errors are thrown at the next await of the scan. No further page is read until there is a
   * permit, so that a waiting scan uses little memory.
   */
  async function startWrite(
    changed: readonly ChangedServer[],
    gone: readonly string[],
  ): Promise<void> {
    if (changed.length + gone.length === 0) return
    const release = await writePermits.acquire()
    const writing = record(changed, gone).finally(release)
    const settled = writing.finally(() => writes.delete(settled))
    settled.catch(() => {})
    writes.add(settled)
    if (writes.size >= maxWrites) await Promise.race(writes)
  }

  async function writeBatch(): Promise<void> {
    const batch = pending.slice(0, batchSize)
    pending = pending.slice(batchSize)
    pendingLength = pending.reduce((sum, { size }) => sum + size, 0)
    await startWrite(batch, [])
    writtenAt = clock()
  }

  return {
    async add(change: ChangedServer): Promise<void> {
      pending.push(change)
      pendingLength += change.size
      if (pendingLength >= batchLength) await writeBatch()
    },

    /** Writes full batches, and servers that have waited for long. */
    async writeDue(): Promise<void> {
      while (pending.length >= batchSize || clock() - writtenAt >= longestWait) await writeBatch()
    },

    remove: (goneIds: readonly string[]) => startWrite([], goneIds),

    /** Writes what is left and waits for all writes. */
    async finish(): Promise<void> {
      await startWrite(pending, [])
      pending = []
      await Promise.all(writes)
    },

    /** Waits until nothing is being written, also after an error. */
    async settle(): Promise<void> {
      await Promise.allSettled(writes)
    },
  }
}
