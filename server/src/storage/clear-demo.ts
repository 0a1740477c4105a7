import type { Database } from './database.ts'

/** Everything about servers and the accounts that they come from. */
const tables = [
  'server_tags',
  'server_addresses',
  'server_texts',
  'server_documents',
  'server_places',
  'server_counts',
  'servers',
  'fleet_days',
  'sightings',
  'account_syncs',
  'cloudaccounts',
]

/**
 * Removes the servers and accounts of a demo, and with them all there are: nothing else is in a demo.
 * Cut off, it is done again, since the note of the demo still has its earlier version.
 */
export async function clearDemo(database: Database): Promise<void> {
  const { engine, db } = database
  await database.maintain(
    engine === 'postgres'
      ? [`truncate ${tables.join(', ')}`]
      : [
          ...tables.map((table) => `delete from ${table}`),
          "insert into server_search (server_search) values ('delete-all')",
        ],
  )
  const projects = await db.selectFrom('projects').select(['id', 'domain_id']).execute()
  await database.commitServers(
    [],
    new Set(projects.flatMap(({ id, domain_id }) => [id, domain_id])),
  )
}
