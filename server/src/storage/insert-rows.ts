import { sql, type Kysely } from 'kysely'
import type { DatabaseReader, Statement } from './database.ts'
import type { Tables } from './tables.ts'

/** SQLite inserts rows in chunks of these sizes, so that each statement text is compiled once. */
const sizes = [64, 8, 1] as const

/**
 * For a row that exists already: fail the commit, keep it, replace it, replace all but some columns,
 * or add the new numbers to it.
 */
type Conflict =
  | 'refuse'
  | 'keep'
  | 'replace'
  | { readonly keep: readonly string[] }
  | { readonly add: readonly string[] }

type InsertRows = (rows: readonly (readonly unknown[])[]) => Statement[]

/** Builds statements that insert many rows. Their texts are compiled once: compiling takes longer than inserting. */
export function createInsertRows(
  { engine, db }: Pick<DatabaseReader, 'engine' | 'db'>,
  table: keyof Tables,
  columns: readonly string[],
  conflict: Conflict,
  key: readonly string[] = [],
): InsertRows {
  const onConflict = conflictClause(table, columns, conflict, key)
  return engine === 'postgres'
    ? inOneStatement(db, table, columns, onConflict)
    : inChunks(db, table, columns, onConflict)
}

function conflictClause(
  table: string,
  columns: readonly string[],
  conflict: Conflict,
  key: readonly string[],
) {
  if (conflict === 'refuse') return sql``
  if (conflict === 'keep') return sql`on conflict do nothing`
  const sums = typeof conflict === 'object' && 'add' in conflict ? conflict.add : undefined
  const fixed = typeof conflict === 'object' && 'keep' in conflict ? conflict.keep : []
  const changed = sums ?? columns.filter((column) => ![...key, ...fixed].includes(column))
  const changes = changed.map((column) => {
    const fresh = sql.ref(`excluded.${column}`)
    const value = sums ? sql`${sql.ref(`${table}.${column}`)} + ${fresh}` : fresh
    return sql`${sql.ref(column)} = ${value}`
  })
  const keys = sql.join(key.map((column) => sql.ref(column)))
  return sql`on conflict (${keys}) do update set ${sql.join(changes)}`
}

const list = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))

/**
 * PostgreSQL gets all rows as one JSON parameter: one round trip, and the same statement for any
 * number of rows. They are inserted in the given order.
 */
function inOneStatement(
  db: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
  onConflict: ReturnType<typeof conflictClause>,
): InsertRows {
  const insert = sql`insert into ${sql.table(table)} (${list(columns)})
    select ${list(columns)} from json_populate_recordset(null::${sql.table(table)}, ${''}::json)
    ${onConflict}`
  const { sql: text } = insert.compile(db)
  const toObject = (row: readonly unknown[]) =>
    Object.fromEntries(columns.map((column, at) => [column, wellFormed(row[at])]))
  return (rows) =>
    rows.length === 0 ? [] : [{ sql: text, parameters: [JSON.stringify(rows.map(toObject))] }]
}

/** PostgreSQL rejects JSON with a lone surrogate. */
const wellFormed = (cell: unknown) => (typeof cell === 'string' ? cell.toWellFormed() : cell)

function inChunks(
  db: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
  onConflict: ReturnType<typeof conflictClause>,
): InsertRows {
  const row = sql`(${sql.join(columns.map(() => sql`${0}`))})`
  const textFor = (size: number): string =>
    sql`insert into ${sql.table(table)} (${list(columns)}) values ${sql.join(Array.from({ length: size }, () => row))} ${onConflict}`.compile(
      db,
    ).sql

  const texts = new Map<number, string>()
  const text = (size: number): string => {
    const made = texts.get(size) ?? textFor(size)
    texts.set(size, made)
    return made
  }

  return (rows) => {
    const statements: Statement[] = []
    let at = 0
    for (const size of sizes) {
      for (; rows.length - at >= size; at += size) {
        statements.push({
          sql: text(size),
          parameters: flatten(rows, at, at + size, columns.length),
        })
      }
    }
    return statements
  }
}

/** A loop, because one call flattens tens of thousands of values. */
function flatten(
  rows: readonly (readonly unknown[])[],
  from: number,
  to: number,
  width: number,
): unknown[] {
  const cells = Array.from<unknown>({ length: (to - from) * width })
  let next = 0
  for (let at = from; at < to; at += 1) {
    const row = rows[at] ?? []
    for (let column = 0; column < width; column += 1) cells[next++] = row[column]
  }
  return cells
}
