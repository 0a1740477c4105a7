import { storedSyncs } from '@muster/contract'
import { sql } from 'kysely'
import type { SyncRun } from '../../domain/sources/account.ts'
import type { SyncRunStore } from '../../domain/sources/ports.ts'
import type { DatabaseReader, Statement } from '../database.ts'

/** Without the cast PostgreSQL would take the parameters of a `select` for texts. */
const number = (value: number) => sql`cast(${value} as bigint)`

/** Stores a sync that ended, unless another process has the lease, and deletes the oldest ones. */
export function storeRun(
  db: DatabaseReader['db'],
  accountId: string,
  runner: string,
  { started_at, finished_at, result, seen, created, changed, gone, error }: SyncRun,
): readonly Statement[] {
  const isRunner = sql`exists (select 1 from account_syncs
    where account_syncs.account_id = ${accountId} and runner = ${runner})`
  return [
    // Of a clock that was ahead. They would be the newest until it is reached.
    sql`delete from account_sync_runs where account_id = ${accountId} and ${isRunner}
      and started_at > ${number(finished_at)}`,
    sql`insert into account_sync_runs
        (account_id, started_at, finished_at, result, seen, created, changed, gone, error)
      select account_id, ${number(started_at)}, ${number(finished_at)}, cast(${result} as text),
        ${number(seen)}, ${number(created)}, ${number(changed)}, ${number(gone)}, cast(${error} as text)
      from account_syncs where account_id = ${accountId} and runner = ${runner}
      on conflict do nothing`,
    sql`delete from account_sync_runs where account_id = ${accountId} and ${isRunner}
      and started_at <= (select started_at from account_sync_runs where account_id = ${accountId}
        order by started_at desc limit 1 offset ${sql.lit(storedSyncs)})`,
  ].map((statement) => statement.compile(db))
}

/** Reads the last syncs of accounts. */
export const createSyncRunStore = ({ db }: Pick<DatabaseReader, 'db'>): SyncRunStore => ({
  async of(accountId) {
    const rows = await db
      .selectFrom('account_sync_runs')
      .select([
        'started_at',
        'finished_at',
        'result',
        'seen',
        'created',
        'changed',
        'gone',
        'error',
      ])
      .where('account_id', '=', accountId)
      .orderBy('started_at', 'desc')
      .execute()
    return rows.map(({ result, ...row }) => ({
      ...row,
      result: result as SyncRun['result'],
      duration_ms: row.finished_at - row.started_at,
    }))
  },
})
