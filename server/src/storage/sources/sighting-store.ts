import type { Sighting } from '../../domain/inventory/ports.ts'
import type { SightingStore } from '../../domain/sources/ports.ts'
import type { Database } from '../database.ts'
import { inPieces } from '../servers/in-pieces.ts'

/** What accounts said last of the servers they see. */
export function createSightingStore({ read }: Database): SightingStore {
  const select = (accountId: string) =>
    read
      .selectFrom('sightings')
      .select(['server_id', 'digest', 'project_id', 'missed'])
      .where('account_id', '=', accountId)

  async function readSome(accountId: string, ids: readonly string[]) {
    const rows = []
    for (const piece of inPieces(ids)) {
      rows.push(...(await select(accountId).where('server_id', 'in', piece).execute()))
    }
    return rows
  }

  return {
    async of(accountId, ids) {
      const rows = ids ? await readSome(accountId, ids) : await select(accountId).execute()
      const found = new Map<string, Sighting>()
      for (const { server_id, digest, project_id, missed } of rows) {
        found.set(server_id, { serverId: server_id, digest, projectId: project_id, missed })
      }
      return found
    },

    async accountsSeeing(ids) {
      const seeing = new Map<string, string[]>()
      for (const piece of inPieces(ids)) {
        const rows = await read
          .selectFrom('sightings')
          .select(['server_id', 'account_id'])
          .where('server_id', 'in', piece)
          .execute()
        for (const { server_id, account_id } of rows) {
          seeing.set(server_id, [...(seeing.get(server_id) ?? []), account_id])
        }
      }
      return seeing
    },
  }
}
