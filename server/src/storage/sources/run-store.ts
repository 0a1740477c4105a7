import { sql } from 'kysely'
import type { RunStore } from '../../domain/sources/ports.ts'
import type { Database } from '../database.ts'
import { toSyncRow } from './account-rows.ts'

/** Who runs which account, and how that goes. */
export function createRunStore(database: Database): RunStore {
  const { db } = database
  const own = (id: string, runner: string) =>
    db.updateTable('account_syncs').where('account_id', '=', id).where('runner', '=', runner)

  return {
    async claim(id, runner, now, until) {
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

    async note(id, runner, changes) {
      const { next_at, ...rest } = toSyncRow(changes)
      // Somebody may have asked for the next one while this one was under way: that stands.
      // PostgreSQL would take the type of the number from the nought beside it.
      const isAskedFor = sql<number>`case when next_at = 0 then 0 else cast(${next_at ?? 0} as bigint) end`
      const next = rest.is_running === 1 ? next_at : isAskedFor
      await database.commit([
        own(id, runner)
          .set({ ...rest, ...(next_at !== undefined && { next_at: next }) })
          .compile(),
      ])
    },
  }
}
