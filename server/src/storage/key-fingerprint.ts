import type { Kysely } from 'kysely'
import type { DatabaseReader, DatabaseWriter, Statement } from './database.ts'
import { listTableNames } from './migrations/engine.ts'
import { findSetting } from './stored-settings.ts'
import type { Tables } from './tables.ts'

const name = 'secret_key_fingerprint'

/** The query of the fingerprints, for tables that exist. */
export const keyFingerprintsSql = `select value from settings where key = '${name}'`

/**
 * The fingerprints of the keys that values may be encrypted with, the oldest first, separated by
 * spaces. Two only while a rotation runs. Undefined for an empty database.
 */
export async function findKeyFingerprints(db: Kysely<Tables>): Promise<string | undefined> {
  if (!(await listTableNames(db)).has('settings')) return undefined
  return await findSetting(db, name)
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

/** Binds the database to the keys of a rotation. */
export const replaceKeyFingerprints = (
  db: Kysely<Tables>,
  fingerprints: readonly string[],
): Statement =>
  db
    .updateTable('settings')
    .set({ value: [...new Set(fingerprints)].join(' ') })
    .where('key', '=', name)
    .compile()
