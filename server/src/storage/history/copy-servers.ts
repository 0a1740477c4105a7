import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import { childKinds, referencedKinds } from '../../domain/inventory/kinds.ts'
import { background } from '../../domain/inventory/ports.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { ensureServerCounts } from '../servers/ensure-counts.ts'
import { createSearchStatements } from '../servers/search-index.ts'
import { serverTables } from '../servers/server-writer.ts'
import type { Tables } from '../tables.ts'
import type { MomentFile } from './moment-file.ts'

type Table = keyof Tables

/** Each with the column of the server's number. */
const tables: readonly (readonly [table: Table, key: string])[] = [
  ['servers', 'seq'],
  ...[...serverTables, ...childKinds].map((table) => [table, 'server'] as const),
]
/** Servers refer to their rows. */
const sharedTables: readonly Table[] = ['words', 'server_places', ...referencedKinds]

const serversAtOnce = 1_000

async function insertRows(moment: MomentFile, table: Table, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  // The empty word is in each new file.
  const insert = createInsertRows(moment, table, columns, 'keep')
  await moment.commit(insert(rows.map((row) => columns.map((column) => row[column]))))
}

/** Copies servers with all that belongs to them from PostgreSQL, without rendering them again. */
export async function copyServers(
  { db, run }: DatabaseReader,
  moment: MomentFile,
  seqs: readonly number[],
  onProgress: (progress: number) => void,
): Promise<void> {
  for (const [at, piece] of [...chunk(seqs, serversAtOnce)].entries()) {
    onProgress((at * serversAtOnce) / seqs.length)
    const queries = tables.map(([table, key]) =>
      sql`select * from ${sql.table(table)} where ${sql.ref(key)} = any(${piece})`.compile(db),
    )
    const answers = await run(queries, background)
    for (const [index, [table]] of tables.entries()) {
      await insertRows(moment, table, answers[index] ?? [])
    }
  }
  // After the servers, so that none refers to what is not copied.
  for (const table of sharedTables) {
    const [rows = []] = await run([sql`select * from ${sql.table(table)}`.compile(db)], background)
    await insertRows(moment, table, rows)
  }
  const numbers = await db.selectFrom('fleet_numbers').selectAll().executeTakeFirstOrThrow()
  await moment.commit([moment.db.updateTable('fleet_numbers').set(numbers).compile()])
}

/** Adds the copied servers to what only SQLite has, or what is faster to count than to copy. */
export async function indexCopies(moment: MomentFile): Promise<void> {
  const rows = await moment.db.selectFrom('servers').select('seq').where('state', '=', 0).execute()
  const live = rows.map(({ seq }) => seq)
  await moment.commit(createSearchStatements(moment)([], live))
  await ensureServerCounts(moment)
}
