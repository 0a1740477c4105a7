import type { Attendant } from './attend-account.ts'
import { serverIdOf } from './to-facts.ts'

/**
 * Keeps a scan from writing over what was heard of single servers since it began: what it says of
 * them was read earlier.
 */
export function createOvertaking() {
  let overtaken: Set<string> | undefined
  const writes = new Set<Promise<unknown>>()
  const has = (id: string) => overtaken?.has(id) === true

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
      overtaken = new Set()
      return () => {
        overtaken = undefined
      }
    },
    /** What a scan writes, without what has been overtaken. */
    guard: (attendant: Attendant): Attendant => ({
      record: (present, goneIds, known) =>
        asWrite(
          attendant.record(
            present.filter((server) => !has(serverIdOf(server))),
            goneIds.filter((id) => !has(id)),
            known,
          ),
        ),
      recordUnreadable: (servers, known) =>
        asWrite(
          attendant.recordUnreadable(
            servers.filter((server) => !has(serverIdOf(server))),
            known,
          ),
        ),
      hold: (missing) => asWrite(attendant.hold(missing.filter(isCurrent))),
      holdRegion: (missing) => asWrite(attendant.holdRegion(missing.filter(isCurrent))),
      leave: (missing) => asWrite(attendant.leave(missing.filter(isCurrent))),
    }),
    /** Something newer is known of these. Once nothing older is being written it may be. */
    async claim(ids: readonly string[]): Promise<void> {
      for (const id of ids) overtaken?.add(id)
      await Promise.allSettled(writes)
    },
  }
}
