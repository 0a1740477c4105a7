import { sql, type Kysely } from 'kysely'
import type { Database, Statement } from '../database.ts'
import type { Tables } from '../tables.ts'

/** SQLite takes the rows in pieces of these sizes: their texts are made once each. */
const sizes = [64, 8, 1] as const

/**
 * What becomes of a row that is there already: the commit fails, it stays, the new one replaces it, or
 * the new one's numbers are added to it.
 */
type Conflict = 'refuse' | 'keep' | 'replace' | { readonly add: readonly string[] }

type InsertRows = (rows: readonly (readonly unknown[])[]) => Statement[]

/** Makes statements that insert many rows; making their texts anew each time would take longer than the insert. */
export function createInsertRows(
  { engine, db }: Pick<Database, 'engine' | 'db'>,
  table: keyof Tables,
  columns: readonly string[],
  conflict: Conflict,
  key: readonly string[] = [],
): InsertRows {
  const onConflict = conflictClause(table, columns, conflict, key)
  return engine === 'postgres'
    ? inOneStatement(db, table, columns, onConflict)
    : inPiecesOf(db, table, columns, onConflict)
}

function conflictClause(
  table: string,
  columns: readonly string[],
  conflict: Conflict,
  key: readonly string[],
) {
  if (conflict === 'refuse') return sql``
  if (conflict === 'keep') return sql`on conflict do nothing`
  const changed =
    conflict === 'replace' ? columns.filter((column) => !key.includes(column)) : conflict.add
  const changes = changed.map((column) => {
    const fresh = sql.ref(`excluded.${column}`)
    const value = conflict === 'replace' ? fresh : sql`${sql.ref(`${table}.${column}`)} + ${fresh}`
    return sql`${sql.ref(column)} = ${value}`
  })
  const keys = sql.join(key.map((column) => sql.ref(column)))
  return sql`on conflict (${keys}) do update set ${sql.join(changes)}`
}

const list = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))

/**
 * PostgreSQL takes all rows as one JSON text: one round trip, and a statement of the same text however
 * many they are. They are inserted in the order given.
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

/** PostgreSQL refuses JSON with half a surrogate pair. */
const wellFormed = (cell: unknown) => (typeof cell === 'string' ? cell.toWellFormed() : cell)

function inPiecesOf(
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

/** Tens of thousands of cells come by here at once. */
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
