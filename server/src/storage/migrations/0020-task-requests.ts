import { sql, type Kysely } from 'kysely'

/** The statuses that earlier versions gave to servers after a failed action. */
const failures = [
  'start_fail',
  'stop_fail',
  'suspend_failed',
  'resume_failed',
  'change_flavor_fail',
  'sync_fail',
  'delete_fail',
]

/** Adds the kind of an error. Servers no longer show failed actions: the next scan writes their status. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['error_class', 'error_values']) {
    await db.schema
      .alterTable('tasks')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  }
  const failed = sql`servers where status in (${sql.join(failures)})`
  await sql`update server_documents set facts_digest = '' where server in (select seq from ${failed})`.execute(
    db,
  )
  await sql`update sightings set digest = '' where server_id in (select id from ${failed})`.execute(
    db,
  )
}
