import type { Server } from '@muster/contract'
import type { Clock } from '../clock.ts'
import { timestamp } from '../timestamp.ts'
import { keepTaskStatus } from './own-fields.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'
import type { ServerWriter, StoredServer, ServerWrite, SightingChanges } from './ports.ts'
import { renderServer } from './render-server.ts'

/** The change of a stored server; undefined if it stays as it is. */
export type ServerChange = (
  stored: StoredServer,
) => { readonly changes: Partial<Server>; readonly factsDigest: string } | undefined

interface Wish {
  readonly ids: readonly string[]
  readonly change: ServerChange
  /** The sightings to store with those servers that change. */
  readonly sightingsOf: (changed: readonly Server[]) => SightingChanges
}

interface Dependencies {
  readonly serverWriter: ServerWriter
  readonly clock: Clock
}

/** Changes servers without a new report from their source, for example their project or status. */
export function createChangeServers({ serverWriter, clock }: Dependencies) {
  async function changeOnce({ ids, change, sightingsOf }: Wish) {
    const stored = await serverWriter.findStored(ids)
    const writes = [...stored.values()]
      .filter(({ server }) => !server.deleted)
      .map((before) => writeOf(before, change, timestamp(clock())))
      .filter((write) => write !== undefined)
    if (writes.length === 0) return 0
    const changed = writes.map(({ server }) => server)
    return (await serverWriter.write(writes, [], sightingsOf(changed))) ? writes.length : undefined
  }

  return (wish: Wish): Promise<number> => retryOnConflict(() => changeOnce(wish))
}
export type ChangeServers = ReturnType<typeof createChangeServers>

function writeOf(stored: StoredServer, change: ServerChange, now: string): ServerWrite | undefined {
  const wanted = change(stored)
  if (!wanted) return undefined
  const changed = {
    ...stored.server,
    ...wanted.changes,
    update_version: stored.server.update_version + 1,
    updated_at: now,
  }
  const server = keepTaskStatus(changed, stored.server)
  return { stored, server, factsDigest: wanted.factsDigest, rendered: renderServer(server) }
}
