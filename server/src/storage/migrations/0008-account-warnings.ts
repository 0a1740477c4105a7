import { sql, type Kysely } from 'kysely'

/** Warnings of accounts, and what has to be stored to remove missing servers only after a while. */
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
  // A server that was missing once starts anew: since when it is missing was not stored before.
  await sql`update sightings set missed = 0 where missed > 0`.execute(db)
  // Clear the stored digest so that the next scan of a libvirt host fills in the active ones.
  await sql`update sightings set digest = '' where account_id in (select id from cloudaccounts where provider = 'OneCloud')`.execute(
    db,
  )
}
