import type { Kysely } from 'kysely'

/** What an access key may do at most, and the key with which a link to set a password was created. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('access_keys').addColumn('restriction', 'text').execute()
  await schema
    .alterTable('password_links')
    .addColumn('access_key_id', 'text', (column) =>
      column.references('access_keys.id').onDelete('cascade'),
    )
    .execute()
}
