import type { Kysely } from 'kysely'
import type { Statement } from '../database.ts'
import type { Tables } from '../tables.ts'

/** The rows go out in pieces of these sizes: their texts are made once each. */
const sizes = [64, 8, 1] as const

/**
 * What becomes of a row that is there already: it stays, the new one replaces it, or the new one's
 * numbers are added to it.
 */
type Conflict = 'keep' | 'replace' | { readonly add: readonly string[] }

/** Makes statements that insert many rows; making their texts anew each time would take longer than the insert. */
export function createInsertRows(
  read: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
  conflict: Conflict,
  key: readonly string[],
): (rows: readonly (readonly unknown[])[]) => Statement[] {
  const row = Object.fromEntries(columns.map((column) => [column, 0]))
  const changed =
    typeof conflict === 'object' ? conflict.add : columns.filter((column) => !key.includes(column))

  const values = (size: number) =>
    (read as unknown as Kysely<Record<string, Record<string, unknown>>>)
      .insertInto(table)
      .values(Array.from({ length: size }, () => row))

  function textFor(size: number): string {
    const insert = values(size)
    if (conflict === 'keep') return insert.onConflict((on) => on.doNothing()).compile().sql
    return insert
      .onConflict((on) =>
        on.columns([...key]).doUpdateSet((eb) => {
          const news = (column: string) => eb.ref(`excluded.${column}`)
          const sum = (column: string) => eb(`${table}.${column}`, '+', news(column))
          const value = conflict === 'replace' ? news : sum
          return Object.fromEntries(changed.map((column) => [column, value(column)]))
        }),
      )
      .compile().sql
  }

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
