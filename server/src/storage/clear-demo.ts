import { inventoryKinds } from '../domain/inventory/kinds.ts'
import type { DatabaseReader, DatabaseWriter } from './database.ts'

/** The tables of servers and of the accounts that they come from. */
const tables = [
  'server_tags',
  'server_addresses',
  'server_texts',
  'server_documents',
  'server_networks',
  'server_places',
  'server_counts',
  'server_combinations',
  'servers',
  'fleet_days',
  'change_commits',
  'server_changes',
  'resource_changes',
  'former_servers',
  'check_violations',
  ...inventoryKinds,
  'resource_sightings',
  'tasks',
  'batch_refusals',
  'batches',
  'idempotency_keys',
  'recycle_bin',
  'sightings',
  'server_keys',
  'account_syncs',
  'account_sync_runs',
  'account_observations',
  'account_gaps',
  'source_state',
  'cloudaccounts',
]

/**
 * Deletes all servers and accounts: a demo has no others. If it is interrupted, the next start repeats
 * it, because the demo record still has the old version.
 */
export async function clearDemo(database: DatabaseReader & DatabaseWriter): Promise<void> {
  const { engine, db } = database
  await database.maintain(
    engine === 'postgres'
      ? [`truncate ${tables.join(', ')}`]
      : [
          ...tables.map((table) => `delete from ${table}`),
          ...['server_search', 'server_search_ids'].map(
            (table) => `insert into ${table} (${table}) values ('delete-all')`,
          ),
        ],
  )
  const restart = { evaluated_at: null, evaluated_definition: '', position: 0, error: '' }
  await database.commit([db.updateTable('checks').set(restart).compile()])
  const projects = await db.selectFrom('projects').select(['id', 'domain_id']).execute()
  await database.commitServers(
    [],
    new Set(projects.flatMap(({ id, domain_id }) => [id, domain_id])),
  )
}
