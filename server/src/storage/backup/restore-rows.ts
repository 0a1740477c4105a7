import { sql, type CompiledQuery, type Kysely } from 'kysely'
import { createInsertEvent } from '../event-store.ts'
import { renumberForeignEvents } from '../event-positions.ts'
import { createEvent } from '../../domain/audit/create-event.ts'
import { engineOf, listTableNames } from '../migrations/engine.ts'
import { migrate, migrateTo } from '../migrations/migrate.ts'
import type { Tables } from '../tables.ts'
import { readBackup, type BackupHeader, type RowChunk } from './format.ts'
import { savedTables } from './saved-tables.ts'
import type { OnProgress } from './write-backup.ts'

export type InsertRows = (chunk: RowChunk) => Promise<void>

/**
 * Added to every version. Clients and caches may know versions from after the backup, and must not mistake
 * restored data for the data they know.
 */
const versionStep = 2 ** 20

/** Fills an empty database from a backup and brings it to the schema of this version. */
export async function restoreRows(
  db: Kysely<Tables>,
  file: string,
  insert: InsertRows,
  onProgress: OnProgress,
): Promise<BackupHeader> {
  const known: ReadonlySet<string> = new Set(savedTables)
  let header: BackupHeader | undefined
  let written = 0
  await readBackup(
    file,
    async (found) => {
      header = found
      await migrateTo(db, found.schema)
      await deleteInitialRows(db)
    },
    async (chunk) => {
      if (!known.has(chunk.table)) throw new Error(`the backup has an unknown table ${chunk.table}`)
      await insert(chunk)
      written += chunk.rows.length
      onProgress(written, header?.rows ?? written)
    },
  )
  if (!header) throw new Error('the backup has no header')
  await fillSearchIndex(db)
  await migrate(db)
  for (const statement of await renumberForeignEvents(db)) await sql.raw(statement).execute(db)
  await forgetOtherTimes(db, header)
  await stopActing(db)
  return header
}

/** Migrations insert rows that the backup has too. */
async function deleteInitialRows(db: Kysely<Tables>): Promise<void> {
  const tables = await listTableNames(db)
  for (const name of savedTables.toReversed()) {
    if (tables.has(name)) await sql`delete from ${sql.table(name)}`.execute(db)
  }
}

/** SQLite's search index is not saved. Before migration 0012 the migration fills it. */
async function fillSearchIndex(db: Kysely<Tables>): Promise<void> {
  if (engineOf(db as Kysely<unknown>) !== 'sqlite') return
  for (const [index, column] of [
    ['server_search', 'text'],
    ['server_search_ids', 'starts'],
  ] as const) {
    const found = await sql`select 1 from sqlite_master where name = ${index}`.execute(db)
    if (found.rows.length === 0) continue
    await sql`insert into ${sql.table(index)} (rowid, text)
      select server, ${sql.ref(column)} from server_texts join servers on seq = server
      where state = 0`.execute(db)
  }
}

/**
 * Nothing acts after a restore: the sources have moved on, and what a task or the recycle bin of that time
 * would do may be wrong now. A time of 0 in the recycle bin restarts the retention.
 */
async function stopActing(db: Kysely<Tables>): Promise<void> {
  const now = Date.now()
  await db.updateTable('cloudaccounts').set({ access: 'observe' }).execute()
  await db
    .updateTable('tasks')
    .set({
      status: 'unknown',
      error: 'A backup was restored while the task was unfinished.',
      error_class: 'interrupted',
      finished_at: now,
    })
    .where('status', 'in', ['queued', 'running'])
    .execute()
  await db
    .updateTable('batches')
    .set({ status: 'cancelled', finished_at: now })
    .where('finished_at', 'is', null)
    .execute()
  await db.updateTable('recycle_bin').set({ auto_delete_at: 0 }).execute()
}

/** Ends leases of processes from before the backup, raises all versions, and records the restore. */
async function forgetOtherTimes(db: Kysely<Tables>, header: BackupHeader): Promise<void> {
  await db
    .updateTable('account_syncs')
    .set({ runner: '', leased_until: 0, is_running: 0 })
    .execute()
  for (const table of ['event_sinks', 'change_sinks'] as const) {
    await sql`update ${sql.table(table)} set runner = '', leased_until = 0`.execute(db)
  }
  for (const table of ['identity_version', 'fleet_version', 'scope_versions'] as const) {
    await sql`update ${sql.table(table)} set version = version + ${sql.lit(versionStep)}`.execute(
      db,
    )
  }
  const event = createEvent({
    user: { id: '', name: 'muster admin' },
    origin: { ip: '', requestId: '', isConfidential: true },
    action: {
      action: 'restore',
      targetType: 'backup',
      targetId: '',
      targetName: header.created_at,
      scope: { kind: 'system' },
    },
    result: 'success',
    time: Date.now(),
  })
  await db.executeQuery(createInsertEvent(db)(event) as CompiledQuery)
}
