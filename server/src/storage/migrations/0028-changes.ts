import type { Kysely } from 'kysely'
import { compact, engineOf } from './engine.ts'

/**
 * The changes of servers. A row has what the version before it had, so earlier versions are rebuilt by
 * undoing changes; see `storage/history/`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('change_commits')
    .addColumn('revision', 'bigint', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .modifyEnd(compact(db))
    .execute()
  await schema
    .createIndex('change_commits_time')
    .unique()
    .on('change_commits')
    .columns(['time', 'position'])
    .execute()
  await schema
    .createTable('server_changes')
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('server', 'integer', (column) => column.notNull())
    .addColumn('kinds', 'integer', (column) => column.notNull())
    .addColumn('account', 'integer', (column) => column.notNull())
    .addColumn('project', 'integer', (column) => column.notNull())
    .addColumn('domain', 'integer', (column) => column.notNull())
    .addColumn('former_project', 'integer')
    .addColumn('former_domain', 'integer')
    .addColumn('former_updated_at', 'bigint')
    .addColumn('source_time', 'bigint')
    .addColumn('task_id', 'text')
    .addColumn('request_id', 'text')
    .addColumn('diff', 'text')
    .addColumn('former_version', engineOf(db) === 'postgres' ? 'bytea' : 'blob')
    .addPrimaryKeyConstraint('server_changes_key', ['revision', 'server'])
    .modifyEnd(compact(db))
    .execute()
  await schema
    .createIndex('server_changes_server')
    .on('server_changes')
    .columns(['server', 'revision'])
    .execute()
  await schema
    .createTable('former_servers')
    .addColumn('server', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('former_servers_id').on('former_servers').column('id').execute()
}
