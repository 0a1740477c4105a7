import { sql } from 'kysely'
import type { LeaseStore } from '../../domain/sources/ports.ts'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { toSyncRow } from './account-rows.ts'

/** Which process runs which account, and how its sync goes. */
export function createLeaseStore(database: DatabaseReader & DatabaseWriter): LeaseStore {
  const { db } = database
  const own = (id: string, runner: string) =>
    db.updateTable('account_syncs').where('account_id', '=', id).where('runner', '=', runner)

  return {
    async acquire(id, runner, now, until) {
      const [outcome] = await database.commit([
        db
          .updateTable('account_syncs')
          .set({ runner, leased_until: until })
          .where('account_id', '=', id)
          .where((eb) => eb.or([eb('runner', '=', runner), eb('leased_until', '<', now)]))
          .compile(),
      ])
      return (outcome?.changes ?? 0) > 0
    },

    async release(id, runner) {
      await database.commit([
        own(id, runner).set({ leased_until: 0, is_running: 0, runner: '' }).compile(),
      ])
    },

    async confirmedGone(id) {
      const row = await db
        .selectFrom('account_syncs')
        .select('confirmed_gone')
        .where('account_id', '=', id)
        .executeTakeFirst()
      return row?.confirmed_gone ?? 0
    },

    async update(id, runner, changes) {
      const { next_at, ...rest } = toSyncRow(changes)
      // 0 is a sync requested while this one was running: keep it. Without the cast PostgreSQL would
      // take the parameter's type from the 0 beside it.
      const unlessRequested = sql<number>`case when next_at = 0 then 0 else cast(${next_at ?? 0} as bigint) end`
      const next = rest.is_running === 1 ? next_at : unlessRequested
      await database.commit([
        own(id, runner)
          .set({ ...rest, ...(next_at !== undefined && { next_at: next }) })
          .compile(),
      ])
    },
  }
}
