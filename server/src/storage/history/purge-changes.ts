import { sql } from 'kysely'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'

const day = 86_400_000
/** Commits that one batch deletes. A commit of a first scan has hundreds of changes. */
const batchSize = 50

/**
 * Deletes the changes before a time. The newest commit stays: its position is the last one. Earlier
 * versions are rebuilt from later ones, so those that stay need nothing of what is deleted. Changes stay until
 * the sinks in use have delivered them. Gaps go with the changes.
 */
export async function purgeChanges(
  { db, commit }: DatabaseReader & DatabaseWriter,
  before: number,
  now: number,
): Promise<void> {
  const isOld = sql`time < ${before} and position < (select max(position) from change_commits)
    and not exists (select 1 from change_sinks as sink
      where sink.leased_until > ${now - day} and change_commits.position > sink.position)`
  for (;;) {
    const { rows } = await sql<{
      revision: number
      position: number
      time: number
    }>`select revision, position, time from change_commits where ${isOld} order by time limit ${batchSize}`.execute(
      db,
    )
    if (rows.length === 0) break
    const last = Math.max(...rows.map(({ position }) => position))
    const time = Math.max(...rows.map(({ time }) => time))
    const revisions = rows.map(({ revision }) => revision)
    await commit([
      db.deleteFrom('server_changes').where('revision', 'in', revisions).compile(),
      db.deleteFrom('resource_changes').where('revision', 'in', revisions).compile(),
      db.deleteFrom('change_commits').where('revision', 'in', revisions).compile(),
      // The inventory after the last of them is known from the changes that stay.
      db
        .updateTable('fleet_numbers')
        .set({ purged_position: last, recorded_since: time })
        .where('purged_position', '<', last)
        .compile(),
    ])
  }
  const forgotten = sql`delete from former_servers where not exists (
    select 1 from server_changes where server_changes.server = former_servers.server)`
  const gaps = db.deleteFrom('account_gaps').where('until', '<', before).compile()
  await commit([forgotten.compile(db), gaps])
}
