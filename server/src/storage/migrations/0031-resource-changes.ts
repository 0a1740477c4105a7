import type { Kysely } from 'kysely'
import { compact } from './engine.ts'

/** The rows of hosts, networks and the like before a commit changed them; see `storage/history/`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('resource_changes')
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('former', 'text')
    .addPrimaryKeyConstraint('resource_changes_key', ['revision', 'kind', 'id'])
    .modifyEnd(compact(db))
    .execute()
  await db.schema
    .createIndex('resource_changes_id')
    .on('resource_changes')
    .columns(['kind', 'id', 'revision'])
    .execute()
}
