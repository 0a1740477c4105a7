import { sql, type Kysely } from 'kysely'
import type { TaskRecord } from '../../domain/tasks/task.ts'
import type { Statement } from '../database.ts'
import type { Tables } from '../tables.ts'

const unfinished = sql`status in ('queued', 'running')`
/** Between two steps `sent_at` is null, too. */
export const unsent = sql<boolean>`(step = 0 and sends = 0 and sent_at is null)`

/** Cancels what was not sent. The account settles the servers, which still show the tasks. */
export const cancelTasks = (
  db: Kysely<Tables>,
  of: { readonly column: 'batch_id' | 'account_id'; readonly id: string },
  now: number,
  reason: string,
): Statement =>
  sql`update tasks set status = 'cancelled', error = ${reason}, error_class = 'cancelled', finished_at = ${now}
    where ${sql.ref(of.column)} = ${of.id} and ${unfinished} and ${unsent}`.compile(db)

/** What was sent by an account that is disabled or deleted can no longer be followed. */
export const abandonTasks = (
  db: Kysely<Tables>,
  accountId: string,
  now: number,
  reason: string,
): Statement =>
  sql`update tasks set status = 'unknown', error = ${reason}, error_class = 'interrupted', finished_at = ${now}
    where account_id = ${accountId} and ${unfinished}`.compile(db)

/** Locks the batches of an account, so that tasks that end together see each other. */
export const lockBatches = (db: Kysely<Tables>, accountId: string): Statement =>
  sql`update batches set failures_in_row = failures_in_row where id in (
    select batch_id from tasks where account_id = ${accountId} and ${unfinished})`.compile(db)

/** Ends batches without unfinished tasks. */
const finishBatches = (db: Kysely<Tables>, where: ReturnType<typeof sql>, now: number): Statement =>
  sql`update batches set finished_at = ${now},
      status = case when status = 'running' then 'finished' else status end
    where finished_at is null and ${where}
      and not exists (select 1 from tasks where batch_id = batches.id and ${unfinished})`.compile(
    db,
  )

export const finishBatch = (db: Kysely<Tables>, id: string, now: number): Statement =>
  finishBatches(db, sql`id = ${id}`, now)

/** After the tasks of an account were cancelled. */
export const finishAllBatches = (db: Kysely<Tables>, now: number): Statement =>
  finishBatches(db, sql`true`, now)

/**
 * Counts the end of a task for its batch. The first statement comes before the one that ends the task: it
 * locks the batch, so that of two tasks that end together the second one sees the first.
 */
export function batchEndStatements(
  db: Kysely<Tables>,
  batchId: string,
  status: TaskRecord['status'],
  now: number,
): { readonly first: readonly Statement[]; readonly last: readonly Statement[] } {
  if (batchId === '') return { first: [], last: [] }
  const inRow = {
    succeeded: sql`0`,
    failed: sql`failures_in_row + 1`,
    unknown: sql`failures_in_row + 1`,
  }[status as string]
  const stopped = sql`batch_id = ${batchId} and exists (select 1 from batches
    where id = ${batchId} and status = 'stopped')`
  return {
    first: [
      sql`update batches set failures_in_row = ${inRow ?? sql`failures_in_row`},
          status = case when status = 'running' and max_failures > 0
            and ${inRow ?? sql`failures_in_row`} >= max_failures then 'stopped' else status end
        where id = ${batchId}`.compile(db),
    ],
    last: [
      // A successful task does not stop the batch.
      ...(status === 'succeeded'
        ? []
        : [
            sql`update tasks set status = 'cancelled', finished_at = ${now},
          error_class = 'cancelled', error = 'The batch stopped after too many failures in a row.'
        where ${stopped} and ${unfinished} and ${unsent}`.compile(db),
          ]),
      finishBatch(db, batchId, now),
    ],
  }
}
