import type { ScanRecorder } from './record-scan.ts'
import { serverIdOf } from './to-server-facts.ts'

/**
 * Keeps a scan from writing over what was heard of single servers since it began: what it says of
 * them was read earlier.
 */
export function createScanConflicts() {
  let superseded: Set<string> | undefined
  const writes = new Set<Promise<unknown>>()
  const has = (id: string) => superseded?.has(id) === true

  const isCurrent = ({ serverId }: { readonly serverId: string }) => !has(serverId)

  async function asWrite<Answer>(writing: Promise<Answer>): Promise<Answer> {
    writes.add(writing)
    try {
      return await writing
    } finally {
      writes.delete(writing)
    }
  }

  return {
    has,
    /** A scan begins; to be ended by what is returned. */
    begin(): () => void {
      superseded = new Set()
      return () => {
        superseded = undefined
      }
    },
    /** What a scan writes, without what has been superseded. */
    guard: (recorder: ScanRecorder): ScanRecorder => ({
      record: (present, goneIds, known) =>
        asWrite(
          recorder.record(
            present.filter((server) => !has(serverIdOf(server))),
            goneIds.filter((id) => !has(id)),
            known,
          ),
        ),
      recordUnreadable: (servers, known) =>
        asWrite(
          recorder.recordUnreadable(
            servers.filter((server) => !has(serverIdOf(server))),
            known,
          ),
        ),
      hold: (missing) => asWrite(recorder.hold(missing.filter(isCurrent))),
      holdRegion: (missing) => asWrite(recorder.holdRegion(missing.filter(isCurrent))),
      leave: (missing) => asWrite(recorder.leave(missing.filter(isCurrent))),
    }),
    /** Something newer is known of these. Once nothing older is being written it may be. */
    async claim(ids: readonly string[]): Promise<void> {
      for (const id of ids) superseded?.add(id)
      await Promise.allSettled(writes)
    },
  }
}
