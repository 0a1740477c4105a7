import { sql, type Kysely } from 'kysely'
import { withCreatedAt, withId, withText } from './column-types.ts'

/** Adds tasks, batches and the recycle bin. Accounts are only observed until someone allows more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('cloudaccounts')
    .addColumn('access', 'text', (column) => column.notNull().defaultTo('observe'))
    .execute()
  await schema
    .alterTable('cloudaccounts')
    .addColumn('max_actions', 'integer', (column) => column.notNull().defaultTo(10))
    .execute()
  await schema
    .createTable('batches')
    .$call(withId)
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('params', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('total', 'integer', (column) => column.notNull())
    .addColumn('matched', 'text', (column) => column.notNull())
    .addColumn('max_parallel', 'integer', (column) => column.notNull())
    .addColumn('max_failures', 'integer', (column) => column.notNull())
    .addColumn('failures_in_row', 'integer', (column) => column.notNull().defaultTo(0))
    .$call((table) => withText(table, 'project_id'))
    .$call((table) => withText(table, 'domain_id'))
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('user_name', 'text', (column) => column.notNull())
    .$call(withCreatedAt)
    .addColumn('finished_at', 'bigint')
    .execute()
  await schema
    .createTable('tasks')
    .$call(withId)
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('params', 'text', (column) => column.notNull())
    .addColumn('server_id', 'text', (column) => column.notNull())
    .addColumn('server_name', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('domain_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('user_name', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'caller_scope'))
    .$call((table) => withText(table, 'access_key_id'))
    .addColumn('status', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'stage'))
    .addColumn('progress', 'integer', (column) => column.notNull().defaultTo(0))
    .$call((table) => withText(table, 'error'))
    .$call((table) => withText(table, 'batch_id'))
    .$call(withCreatedAt)
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .$call((table) => withText(table, 'request_id'))
    .$call((table) => withText(table, 'ip'))
    .$call((table) => withText(table, 'status_before'))
    .addColumn('step', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('sends', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('sent_at', 'bigint')
    .$call((table) => withText(table, 'plan'))
    .addColumn('is_shown', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`create unique index tasks_unfinished on tasks (server_id)
    where status in ('queued', 'running')`.execute(db)
  await sql`create index tasks_waiting on tasks (account_id, created_at)
    where status in ('queued', 'running') or is_shown = 1`.execute(db)
  await schema
    .createIndex('tasks_of_server')
    .on('tasks')
    .columns(['server_id', 'created_at'])
    .execute()
  await schema.createIndex('tasks_of_batch').on('tasks').columns(['batch_id', 'status']).execute()
  await schema
    .createIndex('tasks_of_project')
    .on('tasks')
    .columns(['project_id', 'created_at'])
    .execute()
  await schema.createIndex('tasks_by_time').on('tasks').columns(['created_at']).execute()
  await schema
    .createTable('idempotency_keys')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('request_hash', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'task_id'))
    .$call((table) => withText(table, 'batch_id'))
    .$call(withCreatedAt)
    .addPrimaryKeyConstraint('idempotency_keys_key', ['user_id', 'key'])
    .execute()
  await schema
    .createTable('recycle_bin')
    .addColumn('server_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('delete_disks', 'integer', (column) => column.notNull())
    .addColumn('delete_snapshots', 'integer', (column) => column.notNull())
    .addColumn('auto_delete_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('recycle_bin_due')
    .on('recycle_bin')
    .columns(['account_id', 'auto_delete_at'])
    .execute()
  await restrictEditors(db)
}

interface Rule {
  readonly service: string
  readonly resource: string
  readonly action: string
  readonly effect: string
}

const rule = (service: string, resource: string, action: string): Rule => ({
  service,
  resource,
  action,
  effect: 'allow',
})
const reading = [rule('identity', '*', 'list'), rule('identity', '*', 'get')]
const before = [rule('compute', '*', '*'), ...reading]
const after = [
  ...['list', 'get', 'create', 'update', 'perform'].map((action) => rule('compute', '*', action)),
  rule('compute', 'views', 'delete'),
  ...reading,
]

/** Editors do not delete servers. A policy that someone has changed stays as it is. */
async function restrictEditors(db: Kysely<unknown>): Promise<void> {
  await sql`update policies set rules = ${JSON.stringify(after)}
    where name = 'project_editor' and rules = ${JSON.stringify(before)}`.execute(db)
}
