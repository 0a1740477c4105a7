import { sql } from 'kysely'
import { undoChanges } from '../../domain/inventory/history/undo-changes.ts'
import { background, type ServerFinder, type ServerParts } from '../../domain/inventory/ports.ts'
import { renderServer } from '../../domain/inventory/render-server.ts'
import { covers } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { createChangeQueries } from './change-store.ts'

/** Reads one server as it was after a commit. Nothing is built for it. */
export function createLoadPastServer(database: DatabaseReader) {
  const { historyOf } = createChangeQueries(database)

  return (commit: number): ServerFinder['loadById'] =>
    async function loadById(scope, id, withDeleted): Promise<ServerParts | undefined> {
      const { rows } = await sql<{
        server: number
      }>`select seq as server from servers where id = ${id}
        union select server from former_servers where id = ${id}`.execute(database.db)
      const numbers = rows.map(({ server }) => server)
      const { current, changes } = await historyOf(numbers, commit + 1, background)
      const versions = numbers.map((seq) =>
        undoChanges(current.get(seq)?.server, changes.get(seq) ?? []),
      )
      const server = versions.find((version) => version !== undefined)
      if (!server || (server.deleted && !withDeleted)) return undefined
      const { project_id: projectId, domain_id: domainId } = server
      if (!covers(scope, { projectId, domainId })) return undefined
      const { short, rest, metadata, adminGroup, digest } = renderServer(server)
      return {
        id,
        projectId,
        domainId,
        managerProjectId: server.manager_project_id,
        accountId: server.account_id,
        isDeleted: server.deleted,
        adminGroup,
        body: Buffer.from(`${short},${rest}`),
        shortLength: Buffer.byteLength(short),
        metadata: Buffer.from(metadata),
        digest,
      }
    }
}
