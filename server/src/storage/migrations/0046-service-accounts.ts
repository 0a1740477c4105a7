import { sql, type Kysely } from 'kysely'

/** Users that are programs. The owner is no foreign key: its id tells who it was after the owner is deleted. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('users')
    .addColumn('service_account', 'integer', (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`service_account in (0, 1)`),
    )
    .execute()
  await schema.alterTable('users').addColumn('owner_id', 'text').execute()
  await schema
    .alterTable('users')
    .addColumn('purpose', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await schema
    .createIndex('users_owner')
    .on('users')
    .column('owner_id')
    .where(sql.ref('owner_id'), 'is not', null)
    .execute()
}
