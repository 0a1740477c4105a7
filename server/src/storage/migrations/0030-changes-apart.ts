import { sql, type Kysely } from 'kysely'
import { withText } from './column-types.ts'

/**
 * Sinks of changes, which until now were among the events. Sinks that exist have both. Old events about
 * servers become changes after the start, in batches; `former_events` keeps their places in the order of commits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('change_sinks')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .$call((table) => withText(table, 'runner'))
    .addColumn('leased_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('failing_since', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  // After all changes of today: they were recorded as events too.
  await sql`insert into change_sinks (name, runner, position, event_id)
    select name || '-changes', '', (select coalesce(max(position), 0) from change_commits), '9007199254740991'
    from event_sinks`.execute(db)
  await schema
    .createTable('former_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('change_commits_position')
    .unique()
    .on('change_commits')
    .column('position')
    .execute()
}
