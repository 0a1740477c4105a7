import type { Kysely } from 'kysely'

/** Links with which users set their first password, and when users last logged in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('password_links')
    .addColumn('user_id', 'text', (column) =>
      column.primaryKey().references('users.id').onDelete('cascade'),
    )
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('project_id', 'text')
    .addColumn('domain_id', 'text')
    .execute()
  await db.schema.alterTable('users').addColumn('last_login_at', 'bigint').execute()
}
