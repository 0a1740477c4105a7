import { sql, type Kysely } from 'kysely'
import { engineOf } from './engine.ts'

/** The rendered texts of a server, compressed. NULL for servers that an earlier version stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = engineOf(db) === 'postgres'
  await db.schema
    .alterTable('server_documents')
    .addColumn('packed', isPostgres ? 'bytea' : 'blob')
    .execute()
  // PostgreSQL would try to compress it again.
  if (isPostgres)
    await sql`alter table server_documents alter column packed set storage external`.execute(db)
}
