import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DatabaseReader } from './database.ts'
import { engineOf } from './migrations/engine.ts'
import { everything, type Sql } from './sql-parts.ts'
import type { Tables } from './tables.ts'

/**
 * The condition for events that no event can be committed before. On PostgreSQL the position is the
 * number of the transaction, and one with a lower number may still be running.
 */
export const completeEvents = (engine: DatabaseReader['engine']): Sql =>
  engine === 'postgres'
    ? sql`position < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
    : everything

/**
 * The next number, on SQLite, which has one writer; PostgreSQL has a default value. The sinks count too, in
 * case all events were purged.
 */
export const eventNumber = (db: Kysely<Tables>): { readonly position?: RawBuilder<number> } =>
  engineOf(db) === 'postgres'
    ? {}
    : {
        position: sql<number>`1 + max((select coalesce(max(position), 0) from events),
          (select coalesce(max(position), 0) from event_sinks))`,
      }

/**
 * The statements that renumber all events below 0, in the same order. They are needed if the data
 * came from another PostgreSQL cluster or from SQLite: new events would get lower numbers than those.
 * If the last event of a sink was purged, all that are left come after it.
 */
export async function renumberForeignEvents(db: Kysely<Tables>): Promise<string[]> {
  if (engineOf(db) === 'sqlite') return []
  const { rows } = await sql<{ is_foreign: boolean }>`
    select greatest(0, (select max(position) from events), (select max(position) from event_sinks))
      >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint as is_foreign`.execute(db)
  if (rows[0]?.is_foreign !== true) return []
  return [
    `update events set position = place from (
       select id, row_number() over (order by position, id) - count(*) over () - 1 as place from events
     ) as ordered where ordered.id = events.id;
     update event_sinks set position = coalesce(
       (select position from events where id = event_id), ${Number.MIN_SAFE_INTEGER})`,
  ]
}
