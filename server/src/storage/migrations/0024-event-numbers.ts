import { sql, type Kysely } from 'kysely'
import { engineOf } from './engine.ts'

/**
 * On SQLite the statement that inserts an event numbers it. With the trigger that did so, SQLite saved
 * every page that changes for each event.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) === 'sqlite') await sql`drop trigger events_position`.execute(db)
}
