import type { Clock } from '../../domain/clock.ts'
import { sql } from 'kysely'
import type { BinEntry, TaskStore } from '../../domain/tasks/ports.ts'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { deleteInBatches, purgeBatchSize } from '../delete-in-batches.ts'
import type { Tables } from '../tables.ts'
import { createTaskCommits } from './task-commits.ts'
import { createBatchQueries, createTaskQueries } from './task-queries.ts'

const toEntry = (row: Tables['recycle_bin']): BinEntry => ({
  ...row,
  delete_disks: row.delete_disks === 1,
  delete_snapshots: row.delete_snapshots === 1,
})

/** Reads the entries of the recycle bin. */
function createBinQueries({ db, engine }: DatabaseReader) {
  const now =
    engine === 'postgres'
      ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
      : sql<number>`cast((julianday('now') - 2440587.5) * 86400000 as integer)`

  return {
    async binEntry(serverId) {
      const row = await db
        .selectFrom('recycle_bin')
        .selectAll()
        .where('server_id', '=', serverId)
        .executeTakeFirst()
      return row && toEntry(row)
    },

    async dueEntries(accountId, limit) {
      const rows = await db
        .selectFrom('recycle_bin')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('auto_delete_at', '<=', now)
        .orderBy('auto_delete_at')
        .limit(limit)
        .execute()
      return rows.map(toEntry)
    },
  } satisfies Partial<TaskStore>
}

/** Stores tasks, batches and the recycle bin. */
export function createTaskStore(
  database: DatabaseReader & DatabaseWriter,
  clock: Clock,
): TaskStore {
  const { db } = database
  return {
    ...createTaskQueries(database),
    ...createBatchQueries(database),
    ...createBinQueries(database),
    ...createTaskCommits(database, clock),

    async purge(before, keysBefore) {
      const old = (table: 'tasks' | 'batches') =>
        db
          .deleteFrom(table)
          .where('id', 'in', (eb) =>
            eb
              .selectFrom(table)
              .select('id')
              .where('finished_at', '<', before)
              .limit(purgeBatchSize),
          )
          .compile()
      await deleteInBatches(database, old('tasks'))
      await deleteInBatches(database, old('batches'))
      await database.commit([
        db.deleteFrom('idempotency_keys').where('created_at', '<', keysBefore).compile(),
      ])
    },
  }
}
