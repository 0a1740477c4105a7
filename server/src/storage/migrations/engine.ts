import { PostgresAdapter, sql, type Kysely } from 'kysely'

export const engineOf = <Schema>(db: Kysely<Schema>) =>
  db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'

/** Much cheaper than Kysely's introspection, which reads the columns too. */
export async function listTableNames<Schema>(db: Kysely<Schema>): Promise<Set<string>> {
  const query =
    engineOf(db) === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`
          select tablename as name from pg_tables where schemaname = any (current_schemas(false))`
  return new Set((await query.execute(db)).rows.map(({ name }) => name))
}

/** For tables that are read by primary key only: SQLite then stores no row id. */
export const compact = (db: Kysely<unknown>) =>
  engineOf(db) === 'sqlite' ? sql`without rowid` : sql``

/** Throws if a foreign key refers to a missing row. For SQLite while foreign keys are off. */
export async function requireIntactReferences(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(
    db,
  )
  const [broken] = rows
  if (broken) throw new Error(`rows of ${broken.table} refer to missing rows of ${broken.parent}`)
}
