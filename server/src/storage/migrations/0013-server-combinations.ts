import type { CreateTableBuilder, Kysely } from 'kysely'
import { compact } from './engine.ts'

const codes = [
  'domain_id',
  'account_id',
  'account',
  'brand',
  'provider',
  'hypervisor',
  'cloudregion_id',
  'region',
  'zone_id',
  'zone',
  'os_type',
  'instance_type',
] as const
const sums = ['servers', 'vcpu_count', 'vmem_size', 'disk'] as const

/** Counts of live servers by combination of fields. The next start fills it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema
    .createTable('server_combinations')
    .addColumn('status', 'text', (column) => column.notNull())
  for (const name of codes) table = table.addColumn(name, 'integer', (column) => column.notNull())
  for (const name of sums) table = table.addColumn(name, 'bigint', (column) => column.notNull())
  await table
    .addPrimaryKeyConstraint('server_combinations_key', ['status', ...codes])
    .modifyEnd(compact(db))
    .execute()
}
