import { sql } from 'kysely'
import { engineOf } from '../migrations/engine.ts'
import type { Check } from './check.ts'

const mostMessages = 20

/** SQLite checks every page and index. PostgreSQL has no such query, but tells about broken indexes. */
export const checkIntegrity: Check = async (db) => {
  if (engineOf(db) === 'sqlite') {
    const { rows } = await sql<{ integrity_check: string }>`
      pragma integrity_check(${sql.lit(mostMessages)})`.execute(db)
    const messages = rows.map((row) => row.integrity_check)
    return { checked: 'every page and index', problems: messages.filter((text) => text !== 'ok') }
  }
  const { rows } = await sql<{ name: string; valid: boolean }>`
    select relname as name, indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = current_schema()::regnamespace`.execute(db)
  const invalid = rows.filter(({ valid }) => !valid)
  return {
    checked: `${rows.length} indexes (pg_amcheck checks pages)`,
    problems: invalid.map(({ name }) => `the index ${name} is not valid: run REINDEX`),
  }
}
