import type { Kysely } from 'kysely'

/** How long one request to the source of an account may take, in seconds. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('cloudaccounts')
    .addColumn('request_timeout', 'integer', (column) => column.notNull().defaultTo(20))
    .execute()
}
