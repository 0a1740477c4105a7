import { PostgresAdapter, sql, type Kysely } from 'kysely'

export const engineOf = (db: Kysely<unknown>) =>
  db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'

/** Rows that are only found by their key: SQLite then needs no row id beside it. */
export const compact = (db: Kysely<unknown>) =>
  engineOf(db) === 'sqlite' ? sql`without rowid` : sql``

/** Throws where a row refers to one that is not there: SQLite, while foreign keys are not enforced. */
export async function requireIntactReferences(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(
    db,
  )
  const [broken] = rows
  if (broken) throw new Error(`rows of ${broken.table} refer to missing rows of ${broken.parent}`)
}
