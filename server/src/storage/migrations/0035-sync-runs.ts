import { sql, type Kysely } from 'kysely'
import { withText } from './column-types.ts'

/** The last syncs of each account, and since when it fails. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('account_sync_runs')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('cloudaccounts.id').onDelete('cascade'),
    )
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint', (column) => column.notNull())
    .addColumn('result', 'text', (column) => column.notNull())
    .addColumn('seen', 'bigint', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addColumn('gone', 'bigint', (column) => column.notNull())
    .$call((table) => withText(table, 'error'))
    .addPrimaryKeyConstraint('account_sync_runs_key', ['account_id', 'started_at'])
    .execute()
  await schema
    .alterTable('account_syncs')
    .addColumn('error_field', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await schema.alterTable('account_syncs').addColumn('failing_since', 'bigint').execute()
  // When the first failure was is not known. It was after the last complete sync.
  await sql`update account_syncs set failing_since = coalesce(finished_at, started_at)
    where failures > 0`.execute(db)
}
