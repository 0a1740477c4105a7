import type { Database } from '../storage/database.ts'

/** Requests whose id begins so leave no event: the database refuses it. */
export const doomed = 'doomed-'
/** What the database says then, which is nobody's business. */
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

/** From now on the events of doomed requests cannot be written; all else can. */
export async function failMarkedEvents(database: Database): Promise<void> {
  for (const sql of triggers[database.engine]) await database.commit([{ sql, parameters: [] }])
}
