import type { Kysely } from 'kysely'

/** Covering indexes to count the valid tokens and access keys of a user. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  const columns = ['user_id', 'expires_at']
  await schema.createIndex('tokens_user_expiry').on('tokens').columns(columns).execute()
  await schema.dropIndex('tokens_user').execute()
  await schema.createIndex('access_keys_user_expiry').on('access_keys').columns(columns).execute()
  await schema.dropIndex('access_keys_user_id').execute()
}
