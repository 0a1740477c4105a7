import { setTimeout as pause } from 'node:timers/promises'
import type { OutdatedServers, ServerWriter, StoredServer, ServerWrite } from './ports.ts'
import { renderServer } from './render-server.ts'

interface Dependencies {
  readonly outdatedServers: OutdatedServers
  readonly serverWriter: Pick<ServerWriter, 'write'>
}

const batchSize = 100
/** Milliseconds between batches, so that requests and syncs are served meanwhile. */
const pauseBetween = 20

const writeOf = (stored: StoredServer): ServerWrite => ({
  stored,
  server: stored.server,
  factsDigest: stored.factsDigest,
  rendered: renderServer(stored.server),
})

/**
 * Stores the servers that another version of Muster stored as this version renders them. Until then
 * they are rendered whenever they are read. Returns how many it has rewritten.
 */
export function createRewriteServers({ outdatedServers, serverWriter }: Dependencies) {
  return async function rewriteServers(
    signal: AbortSignal,
    onProgress: (rewritten: number) => void,
  ): Promise<number> {
    if (await outdatedServers.areAllRewritten()) return 0
    let rewritten = 0
    let after = 0
    while (!signal.aborted) {
      const outdated = await outdatedServers.find(after, batchSize)
      const last = outdated.at(-1)
      if (!last) {
        await outdatedServers.recordAllRewritten()
        break
      }
      // A batch in which a server has changed meanwhile is read again.
      if (await serverWriter.write(outdated.map(writeOf))) {
        after = last.seq
        rewritten += outdated.length
        onProgress(rewritten)
      }
      await pause(pauseBetween)
    }
    return rewritten
  }
}
