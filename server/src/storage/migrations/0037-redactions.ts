import type { Kysely } from 'kysely'

/** How often values were removed from the history, so that processes drop the moments that have them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('fleet_numbers')
    .addColumn('redactions', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
