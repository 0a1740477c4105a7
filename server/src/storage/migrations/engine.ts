import { PostgresAdapter, sql, type Kysely } from 'kysely'

export const engineOf = <Schema>(db: Kysely<Schema>) =>
  db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'

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
