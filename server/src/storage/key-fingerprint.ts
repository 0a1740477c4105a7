import type { Kysely } from 'kysely'
import type { DatabaseReader, DatabaseWriter, Statement } from './database.ts'
import type { Tables } from './tables.ts'

const name = 'secret_key_fingerprint'

/** The fingerprint of the secret key that this database uses; undefined for an empty database. */
export async function findKeyFingerprint(db: Kysely<Tables>): Promise<string | undefined> {
  const tables = await db.introspection.getTables()
  if (!tables.some((table) => table.name === 'settings')) return undefined
  const row = await db
    .selectFrom('settings')
    .where('key', '=', name)
    .select('value')
    .executeTakeFirst()
  return row?.value
}

/** Binds a new database to its key. If processes start together, the first one wins. */
export async function storeKeyFingerprint(
  database: DatabaseReader & DatabaseWriter,
  fingerprint: string,
): Promise<void> {
  await database.commit([
    database.db
      .insertInto('settings')
      .values({ key: name, value: fingerprint })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .compile(),
  ])
}

/** Binds the database to the new key of a rotation. */
export const replaceKeyFingerprint = (db: Kysely<Tables>, fingerprint: string): Statement =>
  db.updateTable('settings').set({ value: fingerprint }).where('key', '=', name).compile()
