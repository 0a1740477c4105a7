import { sql, type ColumnDefinitionBuilder, type Kysely } from 'kysely'
import { withText } from './column-types.ts'
import { compact, engineOf } from './engine.ts'

const number = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0)

/** Gives events the order in which they were committed, and stores how far they were delivered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('event_sinks')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .$call((table) => withText(table, 'runner'))
    .addColumn('leased_until', 'bigint', number)
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', number)
    .addColumn('failing_since', 'bigint', number)
    .execute()
  await schema
    .createTable('event_deliveries')
    .addColumn('sink', 'text', (column) => column.notNull())
    .addColumn('attempt', 'bigint', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('result', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'error'))
    .addPrimaryKeyConstraint('event_deliveries_key', ['sink', 'attempt'])
    .modifyEnd(compact(db))
    .execute()
  await (engineOf(db) === 'postgres' ? numberOnPostgres(db) : numberOnSqlite(db))
  await schema.createIndex('events_position').on('events').columns(['position', 'id']).execute()
}

/** The number of the transaction. Transactions with lower numbers than all running ones are complete. */
async function numberOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column position bigint not null default -1`.execute(db)
  await sql`alter table events
    alter column position set default pg_current_xact_id()::text::bigint`.execute(db)
}

/** The next number: SQLite has one writer. The sinks count too, in case all events were purged. */
async function numberOnSqlite(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column position bigint not null default 0`.execute(db)
  await sql`update events set position = -1`.execute(db)
  await sql`create trigger events_position after insert on events when new.position = 0
    begin
      update events set position = 1 + max(
        (select max(position) from events),
        (select coalesce(max(position), 0) from event_sinks)
      ) where id = new.id;
    end`.execute(db)
}
