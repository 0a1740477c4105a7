import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DatabaseReader, Statement } from './database.ts'
import type { Tables } from './tables.ts'

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

/** The values of a row, in the order of the columns. */
type Cells = readonly unknown[]
type InsertRows = (rows: readonly Cells[]) => Statement[]

/** Builds statements that insert many rows. Their texts are compiled once: compiling takes longer than inserting. */
export function createInsertRows(
  { engine, db }: Pick<DatabaseReader, 'engine' | 'db'>,
  table: keyof Tables,
  columns: readonly string[],
  conflict: Conflict,
  key: readonly string[] = [],
  /** Columns that SQLite computes. */
  computed: Readonly<Record<string, RawBuilder<unknown>>> = {},
): InsertRows {
  const onConflict = conflictClause(table, columns, conflict, key)
  if (engine === 'sqlite') return rowByRow(db, table, columns, onConflict, computed)
  return conflict === 'refuse'
    ? byCopying(db, table, columns)
    : inOneStatement(db, table, columns, onConflict)
}

/** Builds statements that insert new rows and replace others, which is slower. */
export function createWriteRows(
  database: Pick<DatabaseReader, 'engine' | 'db'>,
  table: keyof Tables,
  columns: readonly string[],
  key: readonly string[],
) {
  const insert = createInsertRows(database, table, columns, 'refuse')
  const replace = createInsertRows(database, table, columns, 'replace', key)
  return (added: readonly Cells[], changed: readonly Cells[]): Statement[] => [
    ...insert(added),
    ...replace(changed),
  ]
}

/**
 * Builds statements that replace rows by the ids of their servers, which are the last cells. The column
 * `server` gets the number. Rows of servers that do not exist, or do not match the condition, are left out.
 */
export function createReplaceByServerId(
  { engine, db }: Pick<DatabaseReader, 'engine' | 'db'>,
  table: keyof Tables,
  columns: readonly string[],
  key: readonly string[],
  condition: RawBuilder<unknown>,
): InsertRows {
  const into = sql`insert into ${sql.table(table)} (${list(columns)}, server)`
  const end = sql`and ${condition} ${conflictClause(table, columns, 'replace', key)}`
  if (engine === 'sqlite') {
    const cells = sql.join(columns.map(() => sql`${0}`))
    const { sql: text } =
      sql`${into} select ${cells}, seq from servers where id = ${''} ${end}`.compile(db)
    return (rows) => (rows.length === 0 ? [] : [{ sql: text, parameters: [], rows }])
  }
  const cells = sql.join(columns.map((column) => sql.ref(`given.${column}`)))
  const { sql: text } =
    sql`${into} select ${cells}, seq from json_array_elements(${''}::json) as item,
    json_populate_record(null::${sql.table(table)}, item) as given, servers
    where servers.id = item ->> 'server_id' ${end}`.compile(db)
  return (rows) => jsonStatement(text, [...columns, 'server_id'], rows)
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

const escapes: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
}
const isEscaped = /[\\\t\n\r]/

/** A value in the text format of PostgreSQL's `copy`. */
function copiedCell(cell: unknown): unknown {
  if (cell === null) return String.raw`\N`
  if (Buffer.isBuffer(cell)) return String.raw`\\x${cell.toString('hex')}`
  return typeof cell === 'string' && isEscaped.test(cell)
    ? cell.replaceAll(/[\\\t\n\r]/g, (found) => escapes[found] ?? '')
    : cell
}

/** PostgreSQL copies new rows: inserting them from a parameter takes twice the time. */
function byCopying(
  db: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
): InsertRows {
  const { sql: text } = sql`copy ${sql.table(table)} (${list(columns)}) from stdin`.compile(db)
  return (rows) => {
    if (rows.length === 0) return []
    const lines = rows.map((row) => `${row.map(copiedCell).join('\t')}\n`)
    return [{ sql: text, parameters: [], copied: Buffer.from(lines.join('')) }]
  }
}

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
  return (rows) => jsonStatement(text, columns, rows)
}

function jsonStatement(
  text: string,
  names: readonly string[],
  rows: readonly Cells[],
): Statement[] {
  const toObject = (row: Cells) =>
    Object.fromEntries(names.map((name, at) => [name, jsonCell(row[at])]))
  return rows.length === 0 ? [] : [{ sql: text, parameters: [JSON.stringify(rows.map(toObject))] }]
}

/** PostgreSQL rejects JSON with a lone surrogate. */
function jsonCell(cell: unknown): unknown {
  if (Buffer.isBuffer(cell)) return String.raw`\x${cell.toString('hex')}`
  return typeof cell === 'string' ? cell.toWellFormed() : cell
}

/**
 * SQLite runs the statement once for each row. Before it runs one for several rows, it saves every page
 * that changes, in case a later row fails: that takes longer than writing the pages.
 */
function rowByRow(
  db: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
  onConflict: ReturnType<typeof conflictClause>,
  computed: Readonly<Record<string, RawBuilder<unknown>>>,
): InsertRows {
  const names = list([...columns, ...Object.keys(computed)])
  const cells = sql.join([...columns.map(() => sql`${0}`), ...Object.values(computed)])
  const { sql: text } =
    sql`insert into ${sql.table(table)} (${names}) values (${cells}) ${onConflict}`.compile(db)
  return (rows) => (rows.length === 0 ? [] : [{ sql: text, parameters: [], rows }])
}
