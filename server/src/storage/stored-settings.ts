import type { Kysely } from 'kysely'
import type { Statement } from './database.ts'
import type { Tables } from './tables.ts'

/** A value that belongs to the whole installation, such as the record of its demo; undefined if it is not stored. */
export async function findSetting(db: Kysely<Tables>, key: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('settings')
    .where('key', '=', key)
    .select('value')
    .executeTakeFirst()
  return row?.value
}

/** Adds or replaces a setting. */
export const storeSetting = (db: Kysely<Tables>, key: string, value: string): Statement =>
  db
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .compile()

export const removeSetting = (db: Kysely<Tables>, key: string): Statement =>
  db.deleteFrom('settings').where('key', '=', key).compile()
