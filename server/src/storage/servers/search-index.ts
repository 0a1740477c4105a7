import { sql } from 'kysely'
import type { Database, Statement } from '../database.ts'
import { createTemplate } from '../template.ts'

interface Entry {
  readonly seq: number
  readonly text: string
  readonly starts: string
}

/**
 * Keeps SQLite's index of three characters in a row, which holds servers in use only. PostgreSQL's
 * keeps itself.
 */
export function createSearchStatements({ engine, read }: Database) {
  const remove = createTemplate<Entry>(['seq'], ({ seq }) =>
    sql`delete from server_search where rowid = ${seq}`.compile(read),
  )
  const add = createTemplate<Entry>(['seq', 'text', 'starts'], ({ seq, text, starts }) =>
    sql`insert into server_search (rowid, text, starts) values (${seq}, ${text}, ${starts})`.compile(
      read,
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
