import { sql } from 'kysely'
import type { DatabaseReader, Statement } from '../database.ts'

/** Milliseconds. */
const mostAhead = 10_000

/**
 * Records that a commit changed something. It runs when the commit has its version. Commits that are far ahead were
 * timed by a wrong clock: they get a time near this one, so that times still follow the order of commits.
 */
export function recordCommit(
  { engine, db }: Pick<DatabaseReader, 'engine' | 'db'>,
  revision: number,
  time: number,
): Statement[] {
  const latest = sql.raw(engine === 'postgres' ? 'greatest' : 'max')
  const earliest = sql.raw(engine === 'postgres' ? 'least' : 'min')
  // No commit is before the one that it follows, although two nodes can have different clocks.
  const last = sql`(select coalesce(max(time), 0) from change_commits)`
  const limit = sql.lit(time + mostAhead)
  const corrected = sql`update change_commits set time = ${limit} where time > ${limit}`
  const inserted = sql`insert into change_commits (revision, position, time)
    select ${sql.lit(revision)}, version,
      ${earliest}(${latest}(${sql.lit(time)}, ${last} + 1), ${limit}) from fleet_version`
  return [corrected, inserted].map((statement) => statement.compile(db))
}
