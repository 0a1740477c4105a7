import { sql, type Kysely } from 'kysely'
import { withCreatedAt, withId, withName, withReference, withText } from './column-types.ts'
import { compact } from './engine.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('views')
    .$call(withId)
    .$call(withName)
    .addColumn('resource', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'q'))
    .addColumn('columns', 'text', (column) => column.notNull())
    .addColumn('order_by', 'text', (column) => column.notNull())
    .addColumn('direction', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'scope'))
    .addColumn('sharing', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .$call((table) => withReference(table, 'project_id', 'projects.id'))
    .$call(withCreatedAt)
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .execute()
  await sql`create unique index views_name on views (
    user_id, coalesce(project_id, ''), name_key
  )`.execute(db)
  await schema
    .createIndex('views_project')
    .on('views')
    .columns(['project_id', 'sharing'])
    .where(sql.ref('project_id'), 'is not', null)
    .execute()

  await schema
    .createTable('fleet_days')
    .addColumn('project_id', 'integer', (column) => column.notNull())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('domain_id', 'integer', (column) => column.notNull())
    .addColumn('servers', 'bigint', (column) => column.notNull())
    .addColumn('vcpu_count', 'bigint', (column) => column.notNull())
    .addColumn('vmem_size', 'bigint', (column) => column.notNull())
    .addColumn('disk', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('fleet_days_key', ['project_id', 'day'])
    .modifyEnd(compact(db))
    .execute()
}
