import { sql } from 'kysely'
import type { Gap, GapStore } from '../../domain/inventory/history/gaps.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { among, everything, type Sql } from '../sql-parts.ts'

/** The end of a gap that goes on, so that it sorts after all others. */
const open = Number.MAX_SAFE_INTEGER

function toGap(row: Row): Gap {
  const [from, until] = [Number(row['from']), Number(row['until'])]
  return {
    accountId: String(row['account_id']),
    region: String(row['region']),
    from: from === 0 ? null : from,
    until: until === open ? null : until,
  }
}

/** Reads when accounts were not observed. */
export function createGapStore({ db, run }: Pick<DatabaseReader, 'db' | 'run'>): GapStore {
  const ended = sql`select account_id, region, "from", until from account_gaps`
  /** Nothing is stored when Muster, its database or a source fails: a gap goes on if no scan came in time. */
  const unended = (now: number, condition: Sql) =>
    sql`select account_id, region, observed_at as "from", ${sql.lit(open)} as until
      from account_observations where fresh_until < ${now} and ${condition}`

  return {
    async between({ from, until, now }, requester, accountIds) {
      const ofAccounts = accountIds ? among(sql.ref('account_id'), accountIds) : everything
      const query = sql`${ended} where until >= ${from} and "from" <= ${until} and ${ofAccounts}
        union all ${unended(now, sql`observed_at <= ${until} and ${ofAccounts}`)}`
      const [rows = []] = await run([query.compile(db)], requester)
      return rows.map(toGap)
    },

    async of(accountId, { after, limit, now }) {
      const isOfAccount = sql`account_id = ${accountId}`
      const rest = after
        ? sql`(until < ${after.until ?? open} or (until = ${after.until ?? open} and region > ${after.region}))`
        : everything
      const { rows } = await sql<Row>`select * from (${ended} where ${isOfAccount}
          union all ${unended(now, isOfAccount)}) as gaps
        where ${rest} order by until desc, region limit ${limit}`.execute(db)
      return rows.map(toGap)
    },
  }
}
