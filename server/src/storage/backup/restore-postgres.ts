import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { isKnownMigration, listExecuted } from '../migrations/migrate.ts'
import { inspectPostgres } from '../postgres/open.ts'
import type { Tables } from '../tables.ts'
import { ReplaceError, type RowChunk } from './format.ts'
import { restoreRows } from './restore-rows.ts'
import { allTables } from './saved-tables.ts'
import type { OnProgress } from './write-backup.ts'

export interface ReplaceOptions {
  readonly isReplacing: boolean
  /** Whether tables that this version does not know may be dropped. */
  readonly isDroppingUnknown: boolean
}

/** Restores in one transaction: the data from before stays if anything fails. */
export async function restorePostgres(
  url: string,
  backup: string,
  { isReplacing, isDroppingUnknown }: ReplaceOptions,
  onProgress: OnProgress,
): Promise<void> {
  await inspectPostgres(url, (connection) =>
    connection.transaction().execute(async (db) => {
      await requireNoServer(db)
      const executed = await listExecuted(db)
      if (!isReplacing && executed.length > 0) throw new ReplaceError()
      const isNewer = !executed.every(isKnownMigration)
      const unknown = isNewer ? await listUnknownTables(db) : []
      if (unknown.length > 0 && !isDroppingUnknown) throw new UnknownTablesError(unknown)
      await dropTables(db, unknown)
      await restoreRows(db, backup, createInsert(db), onProgress)
    }),
  )
}

/** PostgreSQL lists a session for a moment after its process has ended. */
const closingMs = 2_000

/** A running server would mix what it knows with the restored data. */
async function requireNoServer(db: Kysely<Tables>): Promise<void> {
  const deadline = Date.now() + closingMs
  let addresses = await listServerAddresses(db)
  while (addresses.length > 0 && Date.now() < deadline) {
    await setTimeout(100)
    addresses = await listServerAddresses(db)
  }
  if (addresses.length === 0) return
  throw new Error(
    `Muster is running at ${addresses.join(', ')} and uses this database: stop it first`,
  )
}

async function listServerAddresses(db: Kysely<Tables>): Promise<string[]> {
  // Otherwise a transaction sees the sessions of its first look.
  await sql`select pg_stat_clear_snapshot()`.execute(db)
  const { rows } = await sql<{ address: string }>`
    select distinct coalesce(host(client_addr), 'this machine') as address from pg_stat_activity
    where datname = current_database() and application_name = 'muster'
      and pid <> pg_backend_pid()`.execute(db)
  return rows.map(({ address }) => address)
}

const ownTables: readonly string[] = [...allTables, 'kysely_migration', 'kysely_migration_lock']

/** A newer version may have made them, but so may other software that uses the same schema. */
class UnknownTablesError extends Error {
  constructor(names: readonly string[]) {
    super(
      `a newer version of Muster has changed the database, which has tables that this version does not know: ${names.join(', ')}. To drop them too, add --drop-unknown-tables`,
    )
  }
}

/** Without those that belong to an extension. */
async function listUnknownTables(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    order by name`.execute(db)
  return rows.map(({ name }) => name).filter((name) => !ownTables.includes(name))
}

async function dropTables(db: Kysely<Tables>, unknown: readonly string[]): Promise<void> {
  const names = [...ownTables, ...unknown]
  await sql`drop table if exists ${sql.join(names.map((name) => sql.table(name)))}`.execute(db)
}

const toJson = (value: RowChunk['rows'][number][number]) =>
  value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value

/** One parameter for all rows: PostgreSQL takes at most 65,535, and servers have many columns. */
function createInsert(db: Kysely<Tables>) {
  return async ({ table, columns, rows }: RowChunk): Promise<void> => {
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map((column, at) => [column, toJson(row[at] ?? null)])),
    )
    const list = sql.join(columns.map((column) => sql.ref(column)))
    await sql`insert into ${sql.table(table)} (${list})
      select ${list} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(objects)}::json)`.execute(
      db,
    )
  }
}
