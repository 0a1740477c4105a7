import { sql, type Kysely } from 'kysely'
import { engineOf } from '../migrations/engine.ts'
import type { Tables } from '../tables.ts'
import type { Row, Value } from './format.ts'

const rowsPerChunk = 500

type NamedRow = Readonly<Record<string, Value>>

/** All rows of a table, some at a time. In a transaction, because PostgreSQL needs one for a cursor. */
export async function* readRows(
  db: Kysely<Tables>,
  table: string,
  columns: readonly string[],
): AsyncGenerator<Row[]> {
  const isPostgres = engineOf(db as Kysely<unknown>) === 'postgres'
  const chunks = isPostgres ? fetchRows(db, table) : streamRows(db, table)
  for await (const rows of chunks) {
    yield rows.map((row) => columns.map((column) => row[column] ?? null))
  }
}

async function* streamRows(db: Kysely<Tables>, table: string): AsyncGenerator<NamedRow[]> {
  const all = db.selectFrom(table as keyof Tables).selectAll()
  let chunk: NamedRow[] = []
  for await (const row of all.stream()) {
    chunk.push(row)
    if (chunk.length < rowsPerChunk) continue
    yield chunk
    chunk = []
  }
  yield chunk
}

async function* fetchRows(db: Kysely<Tables>, table: string): AsyncGenerator<NamedRow[]> {
  await sql`declare saved_rows cursor for select * from ${sql.table(table)}`.execute(db)
  const fetch = sql<NamedRow>`fetch ${sql.lit(rowsPerChunk)} from saved_rows`
  for (;;) {
    const { rows } = await fetch.execute(db)
    yield rows
    if (rows.length < rowsPerChunk) break
  }
  await sql`close saved_rows`.execute(db)
}
