import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

const name = 'secret_key_fingerprint'

/** Which secret key this database was made with; undefined for one that is still empty. */
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

/** Binds a new database to its key; of processes that start together, one is first. */
export async function storeKeyFingerprint(database: Database, fingerprint: string): Promise<void> {
  await database.commit([
    database.db
      .insertInto('settings')
      .values({ key: name, value: fingerprint })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .compile(),
  ])
}
