import { sql } from 'kysely'
import type { Clock } from '../../domain/clock.ts'
import type { LeaseStore } from '../../domain/sources/ports.ts'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { toSyncRow } from './account-rows.ts'
import { createManagerStatus } from './manager-status.ts'
import { storeObservation } from './observation-statements.ts'
import { storeRun } from './sync-run-store.ts'

/** Stores leases of accounts and the state of their sync. */
export function createLeaseStore(
  database: DatabaseReader & DatabaseWriter,
  clock: Clock,
): LeaseStore {
  const { db } = database
  const managerStatus = createManagerStatus(database, clock)
  const updateOwn = (id: string, runner: string) =>
    db.updateTable('account_syncs').where('account_id', '=', id).where('runner', '=', runner)

  return {
    async acquire(id, runner, now, until) {
      const [result] = await database.commit([
        db
          .updateTable('account_syncs')
          .set({ runner, leased_until: until })
          .where('account_id', '=', id)
          .where((eb) => eb.or([eb('runner', '=', runner), eb('leased_until', '<', now)]))
          .compile(),
      ])
      return (result?.changes ?? 0) > 0
    },

    async release(id, runner) {
      await database.commit([
        updateOwn(id, runner).set({ leased_until: 0, is_running: 0, runner: '' }).compile(),
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

    async update(id, runner, changes, ended) {
      const { next_at, ...rest } = toSyncRow(changes)
      // 0 is a sync that was requested while this one was running. It stays due. Without the cast
      // PostgreSQL would infer the type of the parameter from the literal 0.
      const nextUnlessRequested = sql<number>`case when next_at = 0 then 0 else cast(${next_at ?? 0} as bigint) end`
      const next = rest.is_running === 1 ? next_at : nextUnlessRequested
      await database.commit([
        updateOwn(id, runner)
          .set({ ...rest, ...(next_at !== undefined && { next_at: next }) })
          .compile(),
        ...(ended ? storeRun(db, id, runner, ended.run) : []),
        ...(ended?.observation ? storeObservation(database, id, runner, ended.observation) : []),
        ...(changes.failures === undefined
          ? []
          : await managerStatus.connect(id, runner, changes.failures === 0)),
      ])
    },
  }
}
