import { sql } from 'kysely'
import { partSeparator } from '../../domain/inventory/search-text.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { createStatementTemplate } from '../statement-template.ts'

const partEnd = sql`instr(text || ${sql.lit(partSeparator)}, ${sql.lit(partSeparator)})`
/** The part of the column `text` that SQLite indexes with positions. */
export const namesPart = sql`substr(text, 1, ${partEnd} - 1)`
/** The part with ids, empty for servers that an earlier version stored. */
export const idsPart = sql`substr(text, ${partEnd} + 1)`

interface Numbers {
  /** JSON. */
  readonly seqs: string
}

/**
 * `server_search_ids` has no positions of trigrams (`detail = none`), so its candidates are checked by
 * their text. Positions take two thirds of an index: both tables take 0.5 kB a server, one with all
 * positions 1.2 kB. Names keep them, because a common term such as `prod` would take 49 ms instead of 11
 * at 100,000 servers; ids rarely contain such terms. Texts that an earlier version stored are in the
 * first table until their server is written again.
 */
const tables = { server_search: namesPart, server_search_ids: sql`${idsPart} || starts` }

/** Updates SQLite's trigram index, which has live servers only. PostgreSQL maintains its own. */
export function createSearchStatements({ engine, db }: DatabaseReader) {
  // One statement for all servers: SQLite writes a segment of the index for each statement.
  const templates = Object.entries(tables).map(([table, text]) => ({
    remove: createStatementTemplate<Numbers>(['seqs'], ({ seqs }) =>
      sql`delete from ${sql.table(table)} where rowid in (select value from json_each(${seqs}))`.compile(
        db,
      ),
    ),
    add: createStatementTemplate<Numbers>(['seqs'], ({ seqs }) =>
      sql`insert into ${sql.table(table)} (rowid, text) select server, ${text} from server_texts where server in (select value from json_each(${seqs}))`.compile(
        db,
      ),
    ),
  }))

  /** They come after the statements that write the texts. */
  return function searchStatements(old: readonly number[], live: readonly number[]): Statement[] {
    if (engine === 'postgres') return []
    return templates.flatMap(({ remove, add }) => [
      ...(old.length > 0 ? [remove({ seqs: JSON.stringify(old) })] : []),
      ...(live.length > 0 ? [add({ seqs: JSON.stringify(live) })] : []),
    ])
  }
}
