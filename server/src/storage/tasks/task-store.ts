import { batches, tasks } from '@muster/contract'
import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import { queryFieldsOf } from '../../domain/query/query-fields.ts'
import type { ScopeOrNone } from '../../domain/scope.ts'
import type { BinEntry, TaskCommit, TaskStore, UserLimit } from '../../domain/tasks/ports.ts'
import { idempotencyLifetime } from '../../domain/tasks/idempotency.ts'
import { isFinished, refusedStage, type TaskRecord } from '../../domain/tasks/task.ts'
import { toInteger } from '../boolean.ts'
import {
  required,
  type DatabaseReader,
  type DatabaseWriter,
  type Row,
  type Statement,
} from '../database.ts'
import { deleteInBatches, purgeBatchSize } from '../delete-in-batches.ts'
import { createInsertEvent } from '../event-store.ts'
import { createListRows, sqlFieldsOf } from '../list-rows.ts'
import { createCommitServers } from '../servers/commit-servers.ts'
import { createRequireFence } from '../servers/sightings.ts'
import { everything, nothing, type Sql } from '../sql-parts.ts'
import type { Tables } from '../tables.ts'
import { batchEndStatements, cancelTasks, finishBatch, unsent } from './batch-statements.ts'
import { toBatch, toBatchRow, toTask, toTaskRow } from './task-rows.ts'

const taskFields = queryFieldsOf(tasks)
const batchFields = queryFieldsOf(batches)

/** Filters on these need no scan of the whole table. */
const indexed: ReadonlySet<string> = new Set(['id', 'server_id', 'batch_id', 'project_id'])

/** The class of the advisory locks of users. */
const lockClass = 8_402

const noCounts = {
  queued: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  refused: 0,
  cancelled: 0,
  unknown: 0,
}

function visibleIn(scope: ScopeOrNone): Sql {
  switch (scope.kind) {
    case 'system':
      return everything
    case 'domain':
      return sql`domain_id = ${scope.domainId}`
    case 'project':
      return sql`project_id = ${scope.projectId}`
    case 'none':
      return nothing
  }
}

/** Stores tasks, batches and the recycle bin. */
export function createTaskStore(database: DatabaseReader & DatabaseWriter): TaskStore {
  const { db, engine } = database
  const insertEvent = createInsertEvent(db)
  const commitServers = createCommitServers(database)
  const requireFence = createRequireFence(database)
  const listRows = createListRows(database)
  const column = (field: string): Sql => {
    if (field.endsWith('_at')) return sql`(${sql.ref(field)} * 1000)`
    return sql.ref(field === 'user' ? 'user_name' : field)
  }
  const now =
    engine === 'postgres'
      ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
      : sql<number>`cast((julianday('now') - 2440587.5) * 86400000 as integer)`

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
    commitServers(given.writes ?? [], undefined, [
      ...statements,
      ...binStatements(given),
      ...(given.events ?? []).map(insertEvent),
    ])

  const toEntry = (row: Tables['recycle_bin']): BinEntry => ({
    ...row,
    delete_disks: row.delete_disks === 1,
    delete_snapshots: row.delete_snapshots === 1,
  })

  async function list<Item>(
    table: 'tasks' | 'batches',
    fields: Parameters<typeof sqlFieldsOf>[1],
    scope: ScopeOrNone,
    query: Parameters<TaskStore['list']>[1],
    requester: Parameters<TaskStore['list']>[2],
    toItem: (row: Row) => Item,
    serverName: Sql = sql.ref('server_name'),
  ) {
    const columns = table === 'tasks' ? sql`tasks.*, ${serverName} as visible_name` : sql`batches.*`
    return await listRows(
      {
        columns,
        from: sql.table(table),
        conditions: [visibleIn(scope)],
        fields: sqlFieldsOf(engine, fields, (name) =>
          name === 'server' ? serverName : column(name),
        ),
        searched: fields.searched,
        indexed,
        id: sql.ref('id'),
      },
      { ...query, scope: undefined },
      toItem,
      { requester, descending: true },
    )
  }

  const counted = ({ userId, kind }: Omit<UserLimit, 'most'>) =>
    kind === 'queued tasks'
      ? sql<number>`(select count(*) from tasks where user_id = ${userId} and status = 'queued' and batch_id = '')`
      : sql<number>`(select count(*) from batches where user_id = ${userId} and finished_at is null)`

  /** Checked again in the commit, because requests can be concurrent. PostgreSQL runs them one at a time. */
  const requireLimit = (limit: UserLimit): Statement[] => [
    ...(engine === 'postgres'
      ? [
          sql`select pg_advisory_xact_lock(${sql.lit(lockClass)}, hashtext(${limit.userId}))`.compile(
            db,
          ),
        ]
      : []),
    required(sql`select 1 as one where ${counted(limit)} < ${limit.most}`.compile(db), limit.kind),
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

  const isWaiting = sql<boolean>`(status in ('queued', 'running') or is_shown = 1)`

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

    findIdempotency: (userId, key, since) =>
      db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('user_id', '=', userId)
        .where('key', '=', key)
        .where('created_at', '>=', since)
        .executeTakeFirst(),

    async find(id) {
      const row = await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toTask(row)
    },

    async unfinishedOf(serverIds) {
      const found = new Map<string, ReturnType<typeof toTask>>()
      for (const piece of chunk(serverIds)) {
        const rows = await db
          .selectFrom('tasks')
          .selectAll()
          .where('server_id', 'in', piece)
          .where('status', 'in', ['queued', 'running'])
          .execute()
        for (const row of rows) found.set(row.server_id, toTask(row))
      }
      return found
    },

    async countOf(userId, kind) {
      const { rows } = await sql<{ n: unknown }>`select ${counted({ userId, kind })} as n`.execute(
        db,
      )
      return Number(rows[0]?.n ?? 0)
    },

    async list(scope, query, requester, deleted) {
      const isLive = sql`exists (select 1 from servers where servers.id = tasks.server_id and servers.state < 2)`
      const name = sql`case when ${visibleIn(deleted)} or ${isLive} then server_name else '' end`
      const toItem = (row: Row) => ({
        ...toTask(row as unknown as Tables['tasks']),
        server: String(row['visible_name']),
      })
      return await list('tasks', taskFields, scope, query, requester, toItem, name)
    },

    async liveServers(ids) {
      const live = new Set<string>()
      for (const piece of chunk(ids)) {
        const rows = await db
          .selectFrom('servers')
          .select('id')
          .where('id', 'in', piece)
          .where('state', '<', 2)
          .execute()
        for (const { id } of rows) live.add(id)
      }
      return live
    },

    async findBatch(id) {
      const row = await db.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toBatch(row)
    },

    async listBatches(scope, query, requester) {
      const toItem = (row: Row) => toBatch(row as unknown as Tables['batches'])
      return await list('batches', batchFields, scope, query, requester, toItem)
    },

    async countBatches(ids) {
      const counts = new Map(ids.map((id) => [id, { ...noCounts }]))
      if (ids.length === 0) return counts
      const rows: readonly Row[] = await db
        .selectFrom('tasks')
        .select(['batch_id', 'status', (eb) => eb.fn.countAll().as('n')])
        .select(sql<number>`case when stage = ${refusedStage} then 1 else 0 end`.as('refused'))
        .where('batch_id', 'in', ids)
        .groupBy(['batch_id', 'status', 'refused'])
        .execute()
      for (const row of rows) {
        const of = counts.get(String(row['batch_id']))
        const status = Number(row['refused']) === 1 ? 'refused' : String(row['status'])
        if (of) of[status as keyof typeof noCounts] += Number(row['n'])
      }
      const refusals = await db
        .selectFrom('batch_refusals')
        .select(['batch_id', (eb) => eb.fn.countAll().as('n')])
        .where('batch_id', 'in', ids)
        .groupBy('batch_id')
        .execute()
      for (const { batch_id, n } of refusals) {
        const of = counts.get(batch_id)
        if (of) of.refused += Number(n)
      }
      return counts
    },

    async refusedIds(batchId) {
      const rows = await db
        .selectFrom('batch_refusals')
        .select('server_id')
        .where('batch_id', '=', batchId)
        .orderBy('server_id')
        .execute()
      return rows.map(({ server_id }) => server_id)
    },

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

    async accountsWaiting() {
      const rows = await db
        .selectFrom('tasks')
        .select('account_id')
        .distinct()
        .where(isWaiting)
        .execute()
      return rows.map(({ account_id }) => account_id)
    },

    async waitingOf(accountId, maxQueued, without = []) {
      const excluded = [...without]
      const places = db
        .selectFrom('tasks')
        .select(['id', 'status'])
        .select(
          sql<number>`row_number() over (partition by batch_id, status order by created_at, id)`.as(
            'place',
          ),
        )
        .where('account_id', '=', accountId)
        .where(isWaiting)
        .$if(excluded.length > 0, (query) => query.where('id', 'not in', excluded))
      const rows = await db
        .selectFrom('tasks')
        .selectAll()
        .where('id', 'in', (eb) =>
          eb
            .selectFrom(places.as('places'))
            .select('places.id')
            .where((or) =>
              or.or([or('places.status', '<>', 'queued'), or('places.place', '<=', maxQueued)]),
            ),
        )
        .orderBy(sql`case when batch_id = '' then 0 else 1 end`)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toTask)
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

    write: (given) => commit([], given),

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
