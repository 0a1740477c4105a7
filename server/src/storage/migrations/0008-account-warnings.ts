import { sql, type Kysely } from 'kysely'

/** Warnings of accounts, and columns to delete missing servers only after a delay. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema.alterTable('cloudaccounts').addColumn('disappearance_hold', 'integer').execute()
  await schema
    .alterTable('account_syncs')
    .addColumn('warnings', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  await schema
    .alterTable('account_syncs')
    .addColumn('confirmed_gone', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema
    .alterTable('sightings')
    .addColumn('missing_since', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema
    .alterTable('sightings')
    .addColumn('active_name', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await schema
    .alterTable('sightings')
    .addColumn('active_host', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  // The time since when a server is missing was not stored, so the count starts again.
  await sql`update sightings set missed = 0 where missed > 0`.execute(db)
  // Clear the stored digest so that the next scan of a libvirt host fills in `active_name` and `active_host`.
  await sql`update sightings set digest = '' where account_id in (select id from cloudaccounts where provider = 'OneCloud')`.execute(
    db,
  )
}
