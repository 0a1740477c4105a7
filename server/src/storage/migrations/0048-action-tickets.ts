import type { Kysely } from 'kysely'
import { withCreatedAt, withId, withText } from './column-types.ts'

/** Tickets of previewed actions, and through which program a task was requested. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('action_tickets')
    .$call(withId)
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('params', 'text', (column) => column.notNull())
    .addColumn('servers', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'question'))
    .$call((table) => withText(table, 'answer'))
    .$call(withCreatedAt)
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
    .execute()
  await schema
    .createIndex('action_tickets_of_user')
    .on('action_tickets')
    .columns(['user_id', 'expires_at'])
    .execute()
  await schema
    .createIndex('action_tickets_by_question')
    .on('action_tickets')
    .column('question')
    .execute()
  await schema
    .alterTable('tasks')
    .addColumn('through', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}
