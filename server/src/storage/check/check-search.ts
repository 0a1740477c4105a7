import { sql } from 'kysely'
import { engineOf } from '../migrations/engine.ts'
import { countWrongRows, type Check, type WrongRows } from './check.ts'

const inUse = sql`select count(*) from servers where state = 0`

const counts: WrongRows = {
  'stored counts that differ from the servers': sql`select count(*) as count from (
    select sum(servers) as servers from server_counts group by facet union all
    select coalesce(sum(servers), 0) from server_combinations) as stored where servers <> (${inUse})`,
}

/** FTS5 has a row in its table `docsize` for each entry. The index has servers in use only. */
const searchIndex: WrongRows = Object.fromEntries(
  ['server_search', 'server_search_ids'].flatMap((name) => {
    const entries = sql.table(`${name}_docsize`)
    return [
      [
        `servers that are not in ${name}`,
        sql`select count(*) as count from servers where state = 0 and seq not in (select id from ${entries})`,
      ],
      [
        `entries of ${name} without a server in use`,
        sql`select count(*) as count from ${entries} where id not in (select seq from servers where state = 0)`,
      ],
    ]
  }),
)

/** Compares the servers in use with the stored counts and, on SQLite, with the search index. */
export const checkSearch: Check = async (db) => {
  const { rows } = await sql<{ count: number }>`${inUse}`.execute(db)
  const [row] = rows
  const isSqlite = engineOf(db) === 'sqlite'
  return {
    checked: `${Object.values(row ?? {})[0]} servers in ${isSqlite ? 'the search index and ' : ''}the counts`,
    problems: await countWrongRows(db, isSqlite ? { ...counts, ...searchIndex } : counts),
  }
}
