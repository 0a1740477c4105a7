import { sql, type Kysely } from 'kysely'

/** Adds the ids of batches that have no task, because they did not exist for the caller. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('batch_refusals')
    .addColumn('batch_id', 'text', (column) =>
      column.notNull().references('batches.id').onDelete('cascade'),
    )
    .addColumn('server_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('batch_refusals_key', ['batch_id', 'server_id'])
    .execute()
  // Until now they were tasks without an account.
  await sql`insert into batch_refusals (batch_id, server_id) select distinct batch_id, server_id from tasks
    where batch_id <> '' and account_id = '' and batch_id in (select id from batches)`.execute(db)
  await sql`delete from tasks where batch_id <> '' and account_id = ''`.execute(db)
  await sql`create index batches_unfinished on batches (user_id) where finished_at is null`.execute(
    db,
  )
}
