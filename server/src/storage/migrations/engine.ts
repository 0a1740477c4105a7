import { PostgresAdapter, sql, type Kysely } from 'kysely'

export const engineOf = (db: Kysely<unknown>) =>
  db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'

/** Rows that are found by their key alone need no second one: SQLite can do without. */
export const compact = (db: Kysely<unknown>) =>
  engineOf(db) === 'sqlite' ? sql`without rowid` : sql``
