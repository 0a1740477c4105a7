import { sql } from 'kysely'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { obsoleteIndexes, serverIndexes, trigramIndex } from './indexes.ts'

async function indexNames({
  db,
  engine,
}: DatabaseReader & DatabaseWriter): Promise<ReadonlySet<string>> {
  const list =
    engine === 'postgres'
      ? sql<{
          name: string
        }>`select indexname as name from pg_indexes where schemaname = current_schema()`
      : sql<{ name: string }>`select name from sqlite_master where type = 'index'`
  const { rows } = await list.execute(db)
  return new Set(rows.map(({ name }) => name))
}

async function hasTrigrams({ db, engine }: DatabaseReader & DatabaseWriter): Promise<boolean> {
  if (engine === 'sqlite') return false
  const { rows } = await sql`select 1 from pg_extension where extname = 'pg_trgm'`.execute(db)
  return rows.length > 0
}

async function wantedIndexes(database: DatabaseReader & DatabaseWriter) {
  const indexes = serverIndexes(database.engine)
  return (await hasTrigrams(database)) ? [...indexes, trigramIndex] : indexes
}

/** Creates missing indexes and drops those of earlier versions, at the first start or after an interrupted one. */
export async function ensureServerIndexes(
  database: DatabaseReader & DatabaseWriter,
): Promise<void> {
  const there = await indexNames(database)
  const missing = (await wantedIndexes(database)).filter(({ name }) => !there.has(name))
  const obsolete = obsoleteIndexes(database.engine).filter((name) => there.has(name))
  await database.maintain([
    ...obsolete.map((name) => `drop index if exists ${name}`),
    ...missing.map(({ create }) => create),
  ])
}
