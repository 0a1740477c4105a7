import type { Kysely } from 'kysely'

/** How a saved view groups the servers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('views')
    .addColumn('group_by', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}
