import { sql, type Kysely } from 'kysely'

/**
 * Adds the keys of servers that another domain has taken over: there they are new servers with another id.
 * Deleted servers are rendered again, because their status is no longer the last one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('server_keys')
    .addColumn('source_id', 'text', (column) => column.primaryKey())
    .addColumn('server_id', 'text', (column) => column.notNull().unique())
    .addColumn('key', 'text', (column) => column.notNull())
    .execute()
  await sql`update server_documents set rendering = '' where state = 2`.execute(db)
  await sql`update server_rendering set version = ''`.execute(db)
}
