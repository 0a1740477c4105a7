import { sql } from 'kysely'
import type { Observation } from '../../domain/sources/observation.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { among, type Sql } from '../sql-parts.ts'

type Database = Pick<DatabaseReader, 'engine' | 'db'>

/** The whole account, except for regions that have a row of their own. */
const whole = ''

/** An account that is new has not been observed yet. */
export const startObserving = (db: Database['db'], accountId: string): Statement =>
  db
    .insertInto('account_observations')
    .values({ account_id: accountId, region: whole, observed_at: 0, fresh_until: 0 })
    .compile()

/** Stores the gaps that end now, in the rows that fit the condition. */
const insertGaps = (condition: Sql, freshBefore: number, until: Sql): Sql =>
  sql`insert into account_gaps (account_id, region, "from", until)
    select account_id, region, observed_at, ${until} from account_observations
    where ${condition} and fresh_until < ${freshBefore}
    on conflict do nothing`

/** The gaps of an account that is deleted. */
export const closeGaps = ({ db }: Database, accountId: string, now: number): Statement =>
  insertGaps(sql`account_id = ${accountId}`, now, sql`cast(${now} as bigint)`).compile(db)

/** Milliseconds by which the clock of another node may be ahead, as in `change-statements.ts`. */
const mostAhead = 10_000

/** Stores that a complete scan has observed the account, and the gap before it if it came late. */
export function storeObservation(
  { engine, db }: Database,
  accountId: string,
  runner: string,
  { now, freshUntil, unread }: Observation,
): readonly Statement[] {
  const isPostgres = engine === 'postgres'
  const latest = sql.raw(isPostgres ? 'greatest' : 'max')
  const earliest = sql.raw(isPostgres ? 'least' : 'min')
  // Not before the changes that the scan has found: their times can be those of a node whose clock is ahead.
  const end = sql`${latest}(${sql.lit(now)}, ${earliest}(${sql.lit(now + mostAhead)},
    (select coalesce(max(time), 0) from change_commits)))`
  const own = sql`account_id = ${accountId} and exists (select 1 from account_syncs
    where account_syncs.account_id = ${accountId} and runner = ${runner})`
  const isUnread = among(sql.ref('region'), unread)
  const read = unread.length === 0 ? own : sql`${own} and not ${isUnread}`
  return [
    insertGaps(read, now, end),
    // A region that could be read until now.
    ...unread.map(
      (
        region,
      ) => sql`insert into account_observations (account_id, region, observed_at, fresh_until)
        select account_id, ${region}, observed_at, fresh_until from account_observations
        where ${own} and region = ${whole}
        on conflict do nothing`,
    ),
    sql`delete from account_observations where ${read} and region <> ${whole}`,
    sql`update account_observations set observed_at = ${end}, fresh_until = ${freshUntil}
      where ${own} and region = ${whole}`,
  ].map((statement) => statement.compile(db))
}
