import type { Database } from '../storage/database.ts'

/** Muster's tables: not the migrations' own, nor SQLite's search index, which shows as tables too. */
export async function ownTables({ db }: Database) {
  const tables = await db.introspection.getTables()
  return tables.filter(
    ({ name }) => !name.startsWith('kysely_') && !/^server_search(_|$)/.test(name),
  )
}

const readable = (value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : value

/** A row as text, and what is kept in bytes as the text that it is: somebody may look for it. */
export const rowText = (row: object): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, readable(value)])),
  )
