import { setImmediate as nextImmediate } from 'node:timers/promises'
import type { ReportedServer, SourceUpdate, UnreadableServer } from './source.ts'

/** What a source says about a server now; undefined if it does not have the server. */
export type Reading = ReportedServer | UnreadableServer | undefined

interface Waiting {
  readonly reading: Reading
  readonly settle: PromiseWithResolvers<void>
}

type RecordUpdate = (
  update: Omit<SourceUpdate, 'gone'>,
  goneIds: readonly string[],
) => Promise<void>

/**
 * Records readings of single servers. Readings that arrive during a commit are recorded together by the next
 * one, because commits are expensive.
 */
export function createRecordTogether(recordUpdate: RecordUpdate) {
  let waiting = new Map<string, Waiting>()
  let isRecording = false

  async function recordAll(some: ReadonlyMap<string, Waiting>): Promise<void> {
    const present: ReportedServer[] = []
    const unreadable: UnreadableServer[] = []
    const gone: string[] = []
    for (const [id, { reading }] of some) {
      if (!reading) gone.push(id)
      else if ('facts' in reading) present.push(reading)
      else unreadable.push(reading)
    }
    const settle = [...some.values()].map((one) => one.settle)
    try {
      await recordUpdate({ present, unreadable }, gone)
      for (const { resolve } of settle) resolve()
    } catch (error) {
      for (const { reject } of settle) reject(error)
    }
  }

  async function recordWaiting(): Promise<void> {
    isRecording = true
    // Readings of one request arrive together.
    await nextImmediate()
    while (waiting.size > 0) {
      const some = waiting
      waiting = new Map()
      await recordAll(some)
    }
    isRecording = false
  }

  return function record(id: string, reading: Reading): Promise<void> {
    // The later reading of a server replaces the earlier one.
    const settle = waiting.get(id)?.settle ?? Promise.withResolvers<void>()
    waiting.set(id, { reading, settle })
    if (!isRecording) void recordWaiting()
    return settle.promise
  }
}
