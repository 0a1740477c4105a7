import type { Server } from '@muster/contract'
import { sql } from 'kysely'
import type { ServerWriter, StoredServer, ServerWrite } from '../../domain/inventory/ports.ts'
import type { DatabaseReader, DatabaseWriter, Statement } from '../database.ts'
import { createInsertEvents } from '../event-store.ts'
import { Violation } from '../violation.ts'
import { requireUnchanged } from './require-unchanged.ts'
import { chunk } from '../../domain/chunk.ts'
import { commitFenced, createSightingStatements } from './sightings.ts'
import { createWriteStatements } from './write-statements.ts'

const text = (value: string | Uint8Array) =>
  typeof value === 'string' ? value : Buffer.from(value).toString()

/** Parses a stored document. Names of owners and fields that depend on the caller are empty. */
function parseServer(row: {
  document: string | Uint8Array
  metadata: string | Uint8Array
  admin_group: string
}): Server {
  const admin = row.admin_group === '' ? '' : `,${row.admin_group}`
  return JSON.parse(`${text(row.document)}${admin},"metadata":${text(row.metadata)}}`) as Server
}

/** Writes servers with their documents and indexes in one commit. */
export function createServerWriter(database: DatabaseReader & DatabaseWriter): ServerWriter {
  const { db } = database
  const insertEvents = createInsertEvents(database)
  const writeStatements = createWriteStatements(database)
  const sightingStatements = createSightingStatements(database)

  /** Returns false without changes if one of the servers was changed meanwhile. */
  async function tryCommit(
    statements: readonly Statement[],
    scopes: ReadonlySet<string>,
    inTurn: readonly Statement[] = [],
  ): Promise<boolean> {
    try {
      await commitFenced(() => database.commitServers(statements, scopes, inTurn))
      return true
    } catch (error) {
      const isSuperseded =
        error instanceof Violation && (error.kind === 'precondition' || error.kind === 'unique')
      if (isSuperseded) return false
      throw error
    }
  }

  const scopesOf = ({ stored, server }: ServerWrite) =>
    [server, ...(stored ? [stored.server] : [])].flatMap(({ project_id, domain_id }) => [
      project_id,
      domain_id,
    ])

  return {
    async findStored(ids) {
      const found = new Map<string, StoredServer>()
      for (const piece of chunk(ids)) {
        const rows = await db
          .selectFrom('server_documents')
          .select([
            'id',
            'server as seq',
            'revision',
            'facts_digest',
            'document',
            'metadata',
            'admin_group',
          ])
          .where('server', 'in', (eb) =>
            eb.selectFrom('servers').select('seq').where('id', 'in', piece),
          )
          .execute()
        for (const row of rows) {
          const { id, seq, revision } = row
          found.set(id, {
            id,
            seq,
            revision,
            factsDigest: row.facts_digest,
            server: parseServer(row),
          })
        }
      }
      return found
    },

    async write(writes, events = [], sightings) {
      const noted = sightings ? sightingStatements(sightings) : []
      if (writes.length === 0) {
        return noted.length === 0 || (await tryCommit([], new Set(), noted))
      }
      const { statements, onWritten } = await writeStatements(writes)
      const isWritten = await tryCommit(
        // Rows that other commits wait for come last.
        [...insertEvents(events), ...statements],
        new Set(writes.flatMap(scopesOf)),
        noted,
      )
      if (isWritten) onWritten()
      return isWritten
    },

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
      for (;;) {
        const rows = await db
          .selectFrom('servers')
          .innerJoin('server_documents', 'server_documents.server', 'servers.seq')
          .select([
            'seq',
            'servers.revision',
            'server_documents.project_id',
            'server_documents.domain_id',
          ])
          .where('servers.state', '=', 2)
          .where(sql<boolean>`deleted_at < ${before * 1000}`)
          .limit(purgeBatchSize)
          .execute()
        if (rows.length === 0) return
        const seqs = rows.map(({ seq }) => seq)
        const scopes = rows.flatMap(({ project_id, domain_id }) => [project_id, domain_id])
        // A server that was restored meanwhile is not deleted. The next query finds the others again.
        await tryCommit(
          [
            ...requireUnchanged(database, rows),
            ...children.map((table) => db.deleteFrom(table).where('server', 'in', seqs).compile()),
            db.deleteFrom('servers').where('seq', 'in', seqs).compile(),
          ],
          new Set(scopes),
        )
      }
    },
  }
}

const purgeBatchSize = 500
const children = ['server_documents', 'server_texts', 'server_tags', 'server_addresses'] as const
