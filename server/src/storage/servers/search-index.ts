import { sql } from 'kysely'
import type { DatabaseReader, Statement } from '../database.ts'
import { createStatementTemplate } from '../statement-template.ts'

interface Entry {
  readonly seq: number
  readonly text: string
  readonly starts: string
}

/** Updates SQLite's trigram index, which has live servers only. PostgreSQL maintains its own. */
export function createSearchStatements({ engine, db }: DatabaseReader) {
  const remove = createStatementTemplate<Entry>(['seq'], ({ seq }) =>
    sql`delete from server_search where rowid = ${seq}`.compile(db),
  )
  const add = createStatementTemplate<Entry>(['seq', 'text', 'starts'], ({ seq, text, starts }) =>
    sql`insert into server_search (rowid, text, starts) values (${seq}, ${text}, ${starts})`.compile(
      db,
    ),
  )

  return function searchStatements(
    old: readonly number[],
    present: readonly (readonly [seq: number, text: string, starts: string])[],
  ): Statement[] {
    if (engine === 'postgres') return []
    return [
      ...old.map((seq) => remove({ seq, text: '', starts: '' })),
      ...present.map(([seq, text, starts]) => add({ seq, text, starts })),
    ]
  }
}

/** Bytes that are sorted at once. With SQLite's default a commit of 1,000 servers makes ten segments. */
const sortedAtOnce = 16 * 2 ** 20

/** Statements that set the options of SQLite's search index, if they differ. */
export async function searchSettings({ engine, db }: DatabaseReader): Promise<string[]> {
  if (engine === 'postgres') return []
  const { rows } = await sql<{
    size: number
  }>`select v as size from server_search_config where k = 'hashsize'`.execute(db)
  return rows[0]?.size === sortedAtOnce
    ? []
    : [`insert into server_search (server_search, rank) values ('hashsize', ${sortedAtOnce})`]
}
