import type { Kysely } from 'kysely'
import { withCreatedAt, withId, withText } from './column-types.ts'

/** No foreign key to users: the database of a separate gateway has none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('sessions')
    .$call(withId)
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'scope'))
    .$call((table) => withText(table, 'ip'))
    .$call((table) => withText(table, 'user_agent'))
    .$call(withCreatedAt)
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('sessions_user').on('sessions').column('user_id').execute()
  await schema.createIndex('sessions_expires').on('sessions').column('expires_at').execute()
  await schema.createIndex('sessions_seen').on('sessions').column('seen_at').execute()
}
