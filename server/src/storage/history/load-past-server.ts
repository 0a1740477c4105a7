import { sql } from 'kysely'
import type { ServerFinder, ServerParts } from '../../domain/inventory/ports.ts'
import { renderServer } from '../../domain/inventory/render-server.ts'
import type { Requester } from '../../domain/requester.ts'
import { covers } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { createReadVersions } from './read-versions.ts'

/** Reads one server as it was after a commit. Nothing is built for it. */
export function createLoadPastServer(database: DatabaseReader) {
  const readVersions = createReadVersions(database)

  return (commit: number, requester: Requester): ServerFinder['loadById'] =>
    async function loadById(scope, id, withDeleted): Promise<ServerParts | undefined> {
      const { rows } = await sql<{
        server: number
      }>`select seq as server from servers where id = ${id}
        union select server from former_servers where id = ${id}`.execute(database.db)
      const numbers = rows.map(({ server }) => server)
      const wanted = numbers.map((seq) => ({ seq, commit }))
      const { versionAt } = await readVersions(wanted, requester)
      const server = wanted.map(versionAt).find((version) => version !== undefined)
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
