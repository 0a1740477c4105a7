import type { Clock } from '../../domain/clock.ts'
import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import type { TaskCommit, TaskStore, UserLimit } from '../../domain/tasks/ports.ts'
import { idempotencyLifetime } from '../../domain/tasks/idempotency.ts'
import { isFinished, type TaskRecord } from '../../domain/tasks/task.ts'
import { toInteger } from '../boolean.ts'
import { required, type DatabaseReader, type DatabaseWriter, type Statement } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { createCommitServers } from '../servers/commit-servers.ts'
import { createRequireFence } from '../servers/sightings.ts'
import type { Tables } from '../tables.ts'
import { batchEndStatements, cancelTasks, finishBatch, unsent } from './batch-statements.ts'
import { countedOf } from './task-queries.ts'
import { toBatchRow, toTaskRow } from './task-rows.ts'

/** The class of the advisory locks of users. */
const lockClass = 8_402

/** Checked again in the commit of accepted tasks, because requests can be concurrent. */
function createAcceptConditions({ db, engine }: DatabaseReader) {
  /** PostgreSQL runs the requests of a user one at a time. */
  const requireLimit = (limit: UserLimit): Statement[] => [
    ...(engine === 'postgres'
      ? [
          sql`select pg_advisory_xact_lock(${sql.lit(lockClass)}, hashtext(${limit.userId}))`.compile(
            db,
          ),
        ]
      : []),
    required(
      sql`select 1 as one where ${countedOf(limit)} < ${limit.most}`.compile(db),
      limit.kind,
    ),
  ]

  /** The account must not have been changed since the decision. */
  const requireManaged = (accepted: readonly TaskRecord[]): Statement[] => {
    const ids = accepted.filter((task) => !isFinished(task)).map(({ account_id }) => account_id)
    const lock = engine === 'postgres' ? sql`for share` : sql``
    return [...new Set(ids)].map((id) =>
      required(
        sql`select 1 as one from cloudaccounts where id = ${id} and access = 'manage'
          and enabled = 1 and leaving = 0 ${lock}`.compile(db),
        'account',
      ),
    )
  }

  return { requireLimit, requireManaged }
}

/** Commits changes of tasks together with their servers, audit events and entries of the recycle bin. */
export function createTaskCommits(database: DatabaseReader & DatabaseWriter, clock: Clock) {
  const { db } = database
  const insertEvent = createInsertEvent(db)
  const commitServers = createCommitServers(database, clock)
  const requireFence = createRequireFence(database)
  const { requireLimit, requireManaged } = createAcceptConditions(database)

  function binStatements({ binned, unbinned }: TaskCommit): Statement[] {
    const remove = (ids: readonly string[]) =>
      db.deleteFrom('recycle_bin').where('server_id', 'in', ids).compile()
    if (!binned) return [...chunk(unbinned ?? [])].map(remove)
    const row = {
      ...binned,
      delete_disks: toInteger(binned.delete_disks),
      delete_snapshots: toInteger(binned.delete_snapshots),
    }
    return [remove([binned.server_id]), db.insertInto('recycle_bin').values(row).compile()]
  }

  /** Rows that other commits wait for, such as those of servers, are locked last. */
  const commit = (statements: readonly Statement[], given: TaskCommit): Promise<boolean> =>
    commitServers(given.writes ?? [], undefined, given.events ?? [], [
      ...statements,
      ...binStatements(given),
    ])

  return {
    async accept({ tasks: accepted, batch, refusedIds = [], limit, idempotency, ...given }) {
      const rows = accepted.map((task) => toTaskRow(task) as Tables['tasks'])
      return await commit(
        [
          ...(idempotency
            ? [
                // A key may be used again after its lifetime.
                db
                  .deleteFrom('idempotency_keys')
                  .where('user_id', '=', idempotency.user_id)
                  .where('key', '=', idempotency.key)
                  .where('created_at', '<', idempotency.created_at - idempotencyLifetime)
                  .compile(),
                db.insertInto('idempotency_keys').values(idempotency).compile(),
              ]
            : []),
          ...(limit ? requireLimit(limit) : []),
          ...requireManaged(accepted),
          ...(batch ? [db.insertInto('batches').values(toBatchRow(batch)).compile()] : []),
          ...[...chunk(refusedIds, 100)].map((ids) =>
            db
              .insertInto('batch_refusals')
              .values(ids.map((server_id) => ({ batch_id: batch?.id ?? '', server_id })))
              .compile(),
          ),
          ...[...chunk(rows, 100)].map((piece) =>
            db
              .insertInto('tasks')
              .values([...piece])
              .compile(),
          ),
          ...(batch ? [finishBatch(db, batch.id, batch.created_at)] : []),
        ],
        given,
      )
    },

    async change(task, changes, given, { fence, isUnsent, sentAt } = {}) {
      const update = db
        .updateTable('tasks')
        .set(toTaskRow(changes))
        .where('id', '=', task.id)
        .where(
          isFinished(task)
            ? sql<boolean>`is_shown = 1`
            : sql<boolean>`status in ('queued', 'running')`,
        )
        .$if(isUnsent === true, (query) => query.where(unsent))
        .$if(sentAt !== undefined, (query) => query.where('sent_at', '=', Number(sentAt)))
      const { status } = changes
      const ends = status !== undefined && isFinished({ status }) && !isFinished(task)
      const { first, last } = batchEndStatements(
        db,
        ends ? task.batch_id : '',
        status ?? task.status,
        changes.finished_at ?? 0,
      )
      return await commit(
        [
          ...(fence ? [requireFence(fence)] : []),
          ...first,
          required(update.compile(), 'task'),
          ...last,
        ],
        given,
      )
    },

    write: (given) => commit([], given),

    async cancelBatch(id, time, reason, event) {
      await database.commit([
        db
          .updateTable('batches')
          .set({ status: 'cancelled' })
          .where('id', '=', id)
          .where('status', '=', 'running')
          .compile(),
        cancelTasks(db, { column: 'batch_id', id }, time, reason),
        finishBatch(db, id, time),
        insertEvent(event),
      ])
    },
  } satisfies Partial<TaskStore>
}
