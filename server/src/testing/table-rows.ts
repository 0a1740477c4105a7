import type { Database } from '../storage/database.ts'

/** Muster's tables: not the migrations' own, nor SQLite's search index, which shows as tables too. */
export async function ownTables({ db }: Database) {
  const tables = await db.introspection.getTables()
  return tables.filter(
    ({ name }) => !name.startsWith('kysely_') && !/^server_search(_|$)/.test(name),
  )
}

/** A row as text. Stored bytes are decoded, so that tests can search for texts in them. */
export function rowText(row: object): string {
  if (!Object.values(row).some((value) => value instanceof Uint8Array)) return JSON.stringify(row)
  return JSON.stringify(row, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  )
}
