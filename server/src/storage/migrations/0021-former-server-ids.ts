import { sql, type Kysely } from 'kysely'

/** Stores all former ids of a server instead of the first one, so that it can return to an earlier one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('former_server_ids')
    .addColumn('source_id', 'text', (column) => column.primaryKey())
    .addColumn('server_id', 'text', (column) => column.notNull())
    .execute()
  await sql`insert into former_server_ids select source_id, server_id from server_keys`.execute(db)
  await db.schema.dropTable('server_keys').execute()
  await db.schema.alterTable('former_server_ids').renameTo('server_keys').execute()
  await db.schema.createIndex('server_keys_current').on('server_keys').column('server_id').execute()
}
