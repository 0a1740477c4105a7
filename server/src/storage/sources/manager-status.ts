import { sql } from 'kysely'
import type { Clock } from '../../domain/clock.ts'
import type { DatabaseReader, DatabaseWriter, Statement } from '../database.ts'
import { recordCommit } from '../history/commit-record.ts'
import { createFormerResources } from '../history/resource-changes.ts'
import { raiseFleetVersion } from '../server-versions.ts'
import { createNumbers } from '../servers/numbers.ts'
import type { Sql } from '../sql-parts.ts'

/** Builds the statements that change the managers of accounts. They come last in a commit. */
export function createManagerStatus(database: DatabaseReader & DatabaseWriter, clock: Clock) {
  const { db } = database
  const takeNumbers = createNumbers(database)
  const former = createFormerResources(database)

  async function change(differing: Sql, changes: Sql): Promise<Statement[]> {
    const wanted = sql`select id from cloudproviders where ${differing}`
    const { rows } = await wanted.execute(db)
    if (rows.length === 0) return []
    const { revision } = await takeNumbers({ revision: 1 })
    return [
      former.ofSelected('cloudproviders', wanted, revision),
      sql`update cloudproviders set ${changes} where ${differing}`.compile(db),
      raiseFleetVersion(db),
      ...recordCommit(database, revision, clock()),
    ]
  }

  return {
    /** Sets their status to the result of the last sync. */
    async connect(accountId: string, runner: string, isConnected: boolean): Promise<Statement[]> {
      const status = isConnected ? 'connected' : 'disconnected'
      const isRunner = sql`exists (select 1 from account_syncs where account_id = ${accountId} and runner = ${runner})`
      return await change(
        sql`cloudaccount_id = ${accountId} and status <> ${status} and ${isRunner}`,
        sql`status = ${status}`,
      )
    },

    async enable(accountId: string, isEnabled: boolean): Promise<Statement[]> {
      const enabled = sql.lit(isEnabled ? 1 : 0)
      return await change(
        sql`cloudaccount_id = ${accountId} and enabled <> ${enabled}`,
        sql`enabled = ${enabled}`,
      )
    },
  }
}
