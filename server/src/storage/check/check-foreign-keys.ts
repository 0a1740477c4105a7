import { sql, type Kysely } from 'kysely'
import { engineOf } from '../migrations/engine.ts'
import type { Tables } from '../tables.ts'
import { countWrongRows, type Check } from './check.ts'

interface ForeignKey {
  readonly table: string
  readonly column: string
  readonly parent: string
  readonly parent_column: string
}

/** Every foreign key of Muster has one column. */
const listForeignKeys = (db: Kysely<Tables>) =>
  engineOf(db) === 'sqlite'
    ? sql<ForeignKey>`
        select tables.name as "table", "from" as "column", "table" as parent, "to" as parent_column
        from sqlite_schema as tables, pragma_foreign_key_list(tables.name)
        where tables.type = 'table'`
    : sql<ForeignKey>`
        select conrelid::regclass::text as "table", child.attname as "column",
          confrelid::regclass::text as parent, parent.attname as parent_column
        from pg_constraint
        join pg_attribute child on child.attrelid = conrelid and child.attnum = conkey[1]
        join pg_attribute parent on parent.attrelid = confrelid and parent.attnum = confkey[1]
        where contype = 'f' and connamespace = current_schema()::regnamespace`

const withoutParent = ({ table, column, parent, parent_column }: ForeignKey) =>
  sql`select count(*) as count from ${sql.table(table)} as child
    where ${sql.ref(`child.${column}`)} is not null and not exists (
      select 1 from ${sql.table(parent)} as parent
      where ${sql.ref(`parent.${parent_column}`)} = ${sql.ref(`child.${column}`)})`

/** Counts rows that refer to a missing row, although the engine prevents them. */
export const checkForeignKeys: Check = async (db) => {
  const { rows } = await listForeignKeys(db).execute(db)
  const queries = rows.map((key) => [
    `rows of ${key.table} whose ${key.column} is not in ${key.parent}`,
    withoutParent(key),
  ])
  return {
    checked: `${rows.length} foreign keys`,
    problems: await countWrongRows(db, Object.fromEntries(queries)),
  }
}
