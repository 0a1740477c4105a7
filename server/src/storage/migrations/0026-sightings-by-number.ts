import { sql, type Kysely } from 'kysely'
import { compact } from './engine.ts'

/**
 * Keys sightings by the number of the server instead of its id. Ids are random, so each new sighting
 * changed other pages. Sightings of servers that no longer exist are left out.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('numbered_sightings')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('server', 'integer', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('missed', 'integer', (column) => column.notNull())
    .addColumn('missing_since', 'bigint', (column) => column.notNull())
    .addColumn('active_name', 'text', (column) => column.notNull())
    .addColumn('active_host', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('numbered_sightings_key', ['account_id', 'server'])
    .modifyEnd(compact(db))
    .execute()
  await sql`insert into numbered_sightings
    select seen.account_id, seq, digest, seen.project_id, missed, missing_since, active_name, active_host
    from sightings seen inner join servers on servers.id = seen.server_id
    order by seen.account_id, seq`.execute(db)
  await schema.dropTable('sightings').execute()
  await schema.alterTable('numbered_sightings').renameTo('sightings').execute()
  await schema.createIndex('sightings_server').on('sightings').column('server').execute()
}
