import { sql, type Kysely } from 'kysely'

/**
 * Adds the sightings of servers whose account does not see them: two scans that missed a server at the same
 * time left it behind. The next scan decides whether it is gone.
 */
const addMissingSightings = sql`insert into sightings
    (account_id, server_id, digest, project_id, missed, missing_since, active_name, active_host)
  select held.account_id, held.id, '', held.project_id, 0, 0, '', ''
  from server_documents held inner join cloudaccounts on cloudaccounts.id = held.account_id
  where held.state < 2 and not exists (select 1 from sightings
    where sightings.account_id = held.account_id and sightings.server_id = held.id)`

export async function up(db: Kysely<unknown>): Promise<void> {
  await addMissingSightings.execute(db)
}
