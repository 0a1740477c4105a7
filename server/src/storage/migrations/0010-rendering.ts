import { sql, type Kysely } from 'kysely'

/** The version of the rendering of each stored server, so that later versions can render it again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('server_documents')
    .addColumn('rendering', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await schema
    .createTable('server_rendering')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('version', 'text', (column) => column.notNull())
    .execute()
  await sql`insert into server_rendering (id, version) values (1, '')`.execute(db)
}
