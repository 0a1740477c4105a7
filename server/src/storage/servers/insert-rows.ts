import type { Kysely } from 'kysely'
import type { Statement } from '../database.ts'
import type { Tables } from '../tables.ts'

/** The rows go out in pieces of these sizes: their texts are made once each. */
const sizes = [64, 8, 1] as const

/** What becomes of a row that is there already: it stays, or the new one replaces it. */
type Conflict = 'keep' | 'replace'

/** Makes statements that insert many rows; making their texts anew each time would take longer than the insert. */
export function createInsertRows(
  read: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
  conflict: Conflict,
  key: readonly string[],
): (rows: readonly (readonly unknown[])[]) => Statement[] {
  const row = Object.fromEntries(columns.map((column) => [column, 0]))
  const replaced = columns.filter((column) => !key.includes(column))

  const textFor = (size: number) =>
    (read as unknown as Kysely<Record<string, Record<string, unknown>>>)
      .insertInto(table)
      .values(Array.from({ length: size }, () => row))
      .onConflict((on) =>
        conflict === 'keep'
          ? on.doNothing()
          : on
              .columns([...key])
              .doUpdateSet((eb) =>
                Object.fromEntries(
                  replaced.map((column) => [column, eb.ref(`excluded.${column}`)]),
                ),
              ),
      )
      .compile().sql

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
        statements.push({ sql: text(size), parameters: rows.slice(at, at + size).flat() })
      }
    }
    return statements
  }
}
