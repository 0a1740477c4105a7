import type { CreateTableBuilder, Kysely } from 'kysely'
import { withText } from './column-types.ts'

const texts = [
  'name',
  'disk_type',
  'disk_format',
  'fs_format',
  'driver',
  'cache_mode',
  'aio_mode',
  'medium_type',
  'storage_type',
  'template',
  'template_id',
]
const numbers = ['index', 'disk_size', 'iops', 'throughput']

/** The disks of servers. Servers that are stored already are written again after the start, with their disks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  let table: CreateTableBuilder<string, string> = schema
    .createTable('disks')
    .addColumn('guest_id', 'text', (column) => column.notNull())
    .addColumn('guest_id_folded', 'text')
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('id_folded', 'text')
    .addColumn('created_at', 'bigint')
    .addColumn('updated_at', 'bigint')
    // Several servers can share a disk.
    .addPrimaryKeyConstraint('disks_key', ['guest_id', 'id'])
  for (const column of texts) table = withText(table, column).addColumn(`${column}_folded`, 'text')
  for (const column of numbers) {
    table = table.addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(0))
  }
  await table.execute()
  await schema.createIndex('disks_id').on('disks').column('id').execute()
  await schema.createIndex('disks_name').on('disks').column('name').execute()
}
