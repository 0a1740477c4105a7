import { sql } from 'kysely'
import type { Clock } from '../../domain/clock.ts'
import type { OutdatedServers, ServerWriter, StoredServer } from '../../domain/inventory/ports.ts'
import { missingFields, upgradeServer } from '../../domain/inventory/build-server.ts'
import { renderingVersion } from '../../domain/inventory/render-server.ts'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import type { Tables } from '../tables.ts'
import { documentsOf, parseServer } from './server-list/load-documents.ts'
import type { Documents } from './packed-documents.ts'
import { requireUnchanged } from './require-unchanged.ts'
import { chunk, defaultChunkSize } from '../../domain/chunk.ts'
import { retryOnConflict } from '../../domain/retry-on-conflict.ts'
import { createCommitServers, tryCommit } from './commit-servers.ts'

export const storedColumns = [
  'id',
  'server as seq',
  'revision',
  'facts_digest',
  'rendering',
  'packed',
  'document',
  'metadata',
  'admin_group',
] as const

export type StoredRow = Pick<
  Tables['server_documents'],
  | 'id'
  | 'revision'
  | 'facts_digest'
  | 'rendering'
  | 'packed'
  | 'document'
  | 'metadata'
  | 'admin_group'
> & { readonly seq: number }

export function toStored(rows: readonly StoredRow[]): StoredServer[] {
  const documents = documentsOf(rows)
  return rows.map(({ id, seq, revision, facts_digest: factsDigest, ...row }, at) => {
    const server = parseServer(documents[at] as Documents, row.admin_group)
    const stored = { id, seq, revision, factsDigest }
    return row.rendering === renderingVersion
      ? { ...stored, server }
      : { ...stored, server: upgradeServer(server), newFields: missingFields(server) }
  })
}

/** Finds servers that another version of Muster stored. */
export function createOutdatedServers(database: DatabaseReader & DatabaseWriter): OutdatedServers {
  const { db } = database
  return {
    async find(after, limit) {
      const rows = await db
        .selectFrom('server_documents')
        .select(storedColumns)
        .where('server', '>', after)
        .where('rendering', '<>', renderingVersion)
        .orderBy('server')
        .limit(limit)
        .execute()
      return toStored(rows)
    },

    async areAllRewritten() {
      const row = await db.selectFrom('server_rendering').select('version').executeTakeFirst()
      return row?.version === renderingVersion
    },

    async recordAllRewritten() {
      await database.commit([
        db.updateTable('server_rendering').set({ version: renderingVersion }).compile(),
      ])
    },
  }
}

/** Writes servers with their documents and indexes in one commit. */
export function createServerWriter(
  database: DatabaseReader & DatabaseWriter,
  clock: Clock,
): ServerWriter {
  const { db } = database
  const commitServers = createCommitServers(database, clock)

  return {
    async findStored(ids) {
      const found = new Map<string, StoredServer>()
      for (const piece of chunk(ids)) {
        const rows = await db
          .selectFrom('server_documents')
          .select(storedColumns)
          .where('server', 'in', (eb) =>
            eb.selectFrom('servers').select('seq').where('id', 'in', piece),
          )
          .execute()
        for (const stored of toStored(rows)) found.set(stored.id, stored)
      }
      return found
    },

    write: (writes, events = [], sightings) => commitServers(writes, sightings, events),

    async hasRealServers() {
      const row = await db
        .selectFrom('servers')
        .select('seq')
        .where(sql<boolean>`is_emulated = 0`)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async purgeDeleted(before) {
      const purgeBatch = async () => {
        const rows = await db
          .selectFrom('servers')
          .innerJoin('server_documents', 'server_documents.server', 'servers.seq')
          .select([
            'seq',
            'servers.id',
            'servers.revision',
            'server_documents.project_id',
            'server_documents.domain_id',
          ])
          .where('servers.state', '=', 2)
          .where(sql<boolean>`deleted_at < ${before * 1000}`)
          .limit(defaultChunkSize)
          .execute()
        if (rows.length === 0) return 0
        const seqs = rows.map(({ seq }) => seq)
        const scopeIds = rows.flatMap(({ project_id, domain_id }) => [project_id, domain_id])
        // A server that was restored meanwhile is not deleted. The next query finds the others again.
        const statements = [
          ...requireUnchanged(database, rows),
          // Their changes stay, and are found by the id.
          sql`insert into former_servers (server, id) select seq, id from servers
            where seq in (${sql.join(seqs)})
            and exists (select 1 from server_changes where server_changes.server = seq)`.compile(
            db,
          ),
          ...serverTables.map((table) =>
            db.deleteFrom(table).where('server', 'in', seqs).compile(),
          ),
          db.deleteFrom('servers').where('seq', 'in', seqs).compile(),
          // Until now the servers could have returned to the recycle bin.
          db
            .deleteFrom('recycle_bin')
            .where(
              'server_id',
              'in',
              rows.map(({ id }) => id),
            )
            .compile(),
        ]
        const isPurged = await tryCommit(() =>
          database.commitServers(statements, new Set(scopeIds), [
            // An account that was disabled when the server ended may still have seen it.
            db.deleteFrom('sightings').where('server', 'in', seqs).compile(),
          ]),
        )
        return isPurged ? rows.length : undefined
      }
      while ((await retryOnConflict(purgeBatch)) > 0);
    },
  }
}

/** The tables that have rows of a server, besides `servers`. */
export const serverTables = [
  'server_documents',
  'server_texts',
  'server_tags',
  'server_addresses',
  'server_networks',
] as const
