import type { ScanRecorder } from './record-scan.ts'
import { serverIdOf } from './to-server-facts.ts'

/**
 * Keeps a scan from overwriting newer reports about single servers, which arrived by events or
 * refreshes after the scan began.
 */
export function createScanConflicts() {
  let superseded: Set<string> | undefined
  const writes = new Set<Promise<unknown>>()
  const has = (id: string) => superseded?.has(id) === true

  const isCurrent = ({ serverId }: { readonly serverId: string }) => !has(serverId)

  async function trackWrite<Result>(write: Promise<Result>): Promise<Result> {
    writes.add(write)
    try {
      return await write
    } finally {
      writes.delete(write)
    }
  }

  return {
    has,
    /** Call it when a scan begins, and the returned function when it ends. */
    begin(): () => void {
      superseded = new Set()
      return () => {
        superseded = undefined
      }
    },
    /** A recorder for the scan that skips superseded servers. */
    guard: (recorder: ScanRecorder): ScanRecorder => ({
      findChange: recorder.findChange,
      collectResources: recorder.collectResources,
      recordResources: recorder.recordResources,
      referencesOf: recorder.referencesOf,
      record: (changed, goneIds, known) =>
        trackWrite(
          recorder.record(
            changed.filter(({ id }) => !has(id)),
            goneIds.filter((id) => !has(id)),
            known,
          ),
        ),
      recordUnreadable: (servers, known) =>
        trackWrite(
          recorder.recordUnreadable(
            servers.filter((server) => !has(serverIdOf(server))),
            known,
          ),
        ),
      hold: (missing) => trackWrite(recorder.hold(missing.filter(isCurrent))),
      holdRegion: (missing) => trackWrite(recorder.holdRegion(missing.filter(isCurrent))),
    }),
    /** Marks servers as superseded, and waits until running writes of the scan have finished. */
    async claim(ids: readonly string[]): Promise<void> {
      for (const id of ids) superseded?.add(id)
      await Promise.allSettled(writes)
    },
  }
}
