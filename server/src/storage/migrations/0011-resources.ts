import type { Kysely } from 'kysely'
import { compact } from './engine.ts'
import { createResourceTable } from './resource-table.ts'

const resources = {
  hosts: {
    texts: [
      'name',
      'status',
      'host_status',
      'host_type',
      'access_ip',
      'sn',
      'cpu_desc',
      'version',
      'provider',
      'brand',
      'account',
      'account_id',
      'manager',
      'manager_id',
      'cloudregion',
      'cloudregion_id',
      'zone',
      'zone_id',
      'external_id',
    ],
    numbers: ['cpu_count', 'mem_size'],
    booleans: ['enabled'],
  },
  networks: {
    texts: [
      'name',
      'status',
      'guest_ip_start',
      'guest_ip_end',
      'guest_gateway',
      'vpc',
      'vpc_id',
      'provider',
      'account',
      'account_id',
      'manager',
      'manager_id',
      'cloudregion',
      'cloudregion_id',
      'zone',
      'zone_id',
      'external_id',
    ],
    numbers: ['guest_ip_mask', 'vlan_id'],
  },
  cloudregions: { texts: ['name', 'status', 'provider', 'cloud_env', 'external_id'] },
  zones: {
    texts: ['name', 'status', 'provider', 'cloudregion', 'cloudregion_id', 'external_id'],
  },
  cloudproviders: {
    texts: [
      'name',
      'status',
      'provider',
      'brand',
      'cloudaccount',
      'cloudaccount_id',
      'tenant_id',
      'external_id',
    ],
    booleans: ['enabled'],
  },
}

/**
 * Hosts, networks, regions, zones and managers; which account sees them; and the networks of each
 * server.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  for (const [name, columns] of Object.entries(resources))
    await createResourceTable(db, name, columns)
  await schema
    .createTable('resource_sightings')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('cloudaccounts.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('resource_sightings_key', ['account_id', 'kind', 'resource_id'])
    .modifyEnd(compact(db))
    .execute()
  await schema
    .createIndex('resource_sightings_resource')
    .on('resource_sightings')
    .columns(['kind', 'resource_id'])
    .execute()
  await schema
    .createTable('server_networks')
    .addColumn('server', 'integer', (column) => column.notNull())
    .addColumn('network', 'integer', (column) => column.notNull())
    .addColumn('state', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('server_networks_key', ['server', 'network'])
    .modifyEnd(compact(db))
    .execute()
  await schema
    .createIndex('server_networks_network')
    .on('server_networks')
    .columns(['network', 'state'])
    .execute()
}
