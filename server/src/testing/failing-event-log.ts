import type { Database } from '../storage/database.ts'

/** The database refuses the audit events of requests whose id starts with this. */
export const doomed = 'doomed-'
/** The database's message, which no response may contain. */
export const databaseMessage = 'the log of events is full'

const triggers = {
  sqlite: [
    `create trigger refuse_events before insert on events when new.request_id like '${doomed}%'
     begin select raise(abort, '${databaseMessage}'); end`,
  ],
  postgres: [
    `create function refuse_event() returns trigger language plpgsql as
     $$ begin raise exception '${databaseMessage}'; end $$`,
    `create trigger refuse_events before insert on events for each row
     when (new.request_id like '${doomed}%') execute function refuse_event()`,
  ],
}

/** Makes the database refuse the events of marked requests, and no other rows. */
export async function failMarkedEvents(database: Database): Promise<void> {
  for (const sql of triggers[database.engine]) await database.commit([{ sql, parameters: [] }])
}
