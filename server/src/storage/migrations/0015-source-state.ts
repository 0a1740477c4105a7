import type { Kysely } from 'kysely'
import { compact } from './engine.ts'

/** What sources store, by account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('source_state')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('cloudaccounts.id').onDelete('cascade'),
    )
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('source_state_key', ['account_id', 'key'])
    .modifyEnd(compact(db))
    .execute()
  await schema
    .createIndex('source_state_version')
    .on('source_state')
    .columns(['account_id', 'version'])
    .execute()
}
