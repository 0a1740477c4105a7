import type { Kysely } from 'kysely'

/** Options of identity providers that are stored encrypted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('identity_providers').addColumn('secrets', 'text').execute()
}
