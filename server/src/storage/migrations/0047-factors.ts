import type { Kysely } from 'kysely'

/** Second factors of users, their recovery codes, and when tokens were verified with them. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('factors')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('confirmed_at', 'bigint')
    .addColumn('last_step', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
  await schema.createIndex('factors_user').on('factors').column('user_id').execute()
  await schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'hash'])
    .execute()
  await schema.alterTable('users').addColumn('factors_reset_at', 'bigint').execute()
  await schema.alterTable('users').addColumn('factors_reset_by', 'text').execute()
  await schema.alterTable('tokens').addColumn('factor_method', 'text').execute()
  await schema.alterTable('tokens').addColumn('factor_at', 'bigint').execute()
}
