import { sql } from 'kysely'
import type { DatabaseReader, Statement } from '../database.ts'

/** Milliseconds. */
const mostAhead = 10_000

/** Records that a commit changed something. It runs when the commit has its version. */
export function recordCommit(
  { engine, db }: Pick<DatabaseReader, 'engine' | 'db'>,
  revision: number,
  time: number,
): Statement {
  const latest = sql.raw(engine === 'postgres' ? 'greatest' : 'max')
  const earliest = sql.raw(engine === 'postgres' ? 'least' : 'min')
  // No commit is before, or at the time of, the one that it follows, although two nodes can have different
  // clocks. One that was far ahead does not hold up the time for ever.
  const last = sql`(select coalesce(max(time), 0) from change_commits)`
  return sql`insert into change_commits (revision, position, time)
    select ${sql.lit(revision)}, version,
      ${earliest}(${latest}(${sql.lit(time)}, ${last} + 1), ${sql.lit(time + mostAhead)}) from fleet_version`.compile(
    db,
  )
}
