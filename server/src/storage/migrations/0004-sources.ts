import type { Kysely } from 'kysely'
import { withCreatedAt, withEnabled, withId, withName, withText } from './column-types.ts'
import { compact } from './engine.ts'

const numbers = [
  'leased_until',
  'is_running',
  'duration_ms',
  'seen',
  'created',
  'changed',
  'gone',
  'failures',
  'next_at',
  'answered_at',
  'is_lost',
  'mapped_revision',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('server_documents')
    .addColumn('account_id', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await schema
    .createTable('cloudaccounts')
    .$call(withId)
    .$call(withName)
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('brand', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'address'))
    .addColumn('credentials', 'text', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('period', 'integer', (column) => column.notNull())
    .$call(withEnabled)
    .addColumn('mapping', 'text', (column) => column.notNull())
    .$call(withCreatedAt)
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('leaving', 'integer', (column) => column.notNull().defaultTo(0))
    .addUniqueConstraint('cloudaccounts_name', ['name_key'])
    .execute()
  const syncs = schema
    .createTable('account_syncs')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().references('cloudaccounts.id').onDelete('cascade'),
    )
    .$call((table) => withText(table, 'runner'))
    .$call((table) => withText(table, 'error'))
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
  await numbers
    .reduce(
      (table, column) =>
        table.addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(0)),
      syncs,
    )
    .execute()
  await schema
    .createTable('sightings')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('server_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('missed', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('sightings_key', ['account_id', 'server_id'])
    .modifyEnd(compact(db))
    .execute()
  await schema.createIndex('sightings_server').on('sightings').column('server_id').execute()
}
