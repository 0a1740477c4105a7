import { sql } from 'kysely'
import type { DatabaseReader, Statement } from '../database.ts'

type Db = DatabaseReader['db']

/** Sets the status of the managers of an account to the result of its last sync. */
export function connectManagers(
  db: Db,
  accountId: string,
  runner: string,
  isConnected: boolean,
): Statement {
  const status = isConnected ? 'connected' : 'disconnected'
  const isRunner = sql`exists (select 1 from account_syncs where account_id = ${accountId} and runner = ${runner})`
  return sql`update cloudproviders set status = ${status} where cloudaccount_id = ${accountId} and status <> ${status} and ${isRunner}`.compile(
    db,
  )
}

export const enableManagers = (db: Db, accountId: string, isEnabled: boolean): Statement =>
  sql`update cloudproviders set enabled = ${isEnabled ? 1 : 0} where cloudaccount_id = ${accountId}`.compile(
    db,
  )
