import type { Kysely } from 'kysely'

/** When providers last confirmed who somebody is. For logins of before: at the upgrade. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('subjects')
    .addColumn('confirmed_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await (db as Kysely<{ subjects: { confirmed_at: number } }>)
    .updateTable('subjects')
    .set({ confirmed_at: Date.now() })
    .execute()
}
