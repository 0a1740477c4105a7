import { batches, tasks } from '@muster/contract'
import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import { queryFieldsOf } from '../../domain/query/query-fields.ts'
import type { ScopeOrNone } from '../../domain/scope.ts'
import type { TaskStore, UserLimit } from '../../domain/tasks/ports.ts'
import { refusedStage } from '../../domain/tasks/task.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { createListRows, sqlFieldsOf } from '../list-rows.ts'
import { everything, nothing, type Sql } from '../sql-parts.ts'
import type { Tables } from '../tables.ts'
import { toBatch, toTask } from './task-rows.ts'

const taskFields = queryFieldsOf(tasks)
const batchFields = queryFieldsOf(batches)

/** Filters on these need no scan of the whole table. */
const indexed: ReadonlySet<string> = new Set(['id', 'server_id', 'batch_id', 'project_id'])

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

/** How much of its limit a user has used. */
export const countedOf = ({ userId, kind }: Omit<UserLimit, 'most'>) =>
  kind === 'queued tasks'
    ? sql<number>`(select count(*) from tasks where user_id = ${userId} and status = 'queued' and batch_id = '')`
    : sql<number>`(select count(*) from batches where user_id = ${userId} and finished_at is null)`

/** Lists tasks or batches that are visible in a scope. */
function createListVisible(database: DatabaseReader) {
  const { engine } = database
  const listRows = createListRows(database)
  const column = (field: string): Sql => {
    if (field.endsWith('_at')) return sql`(${sql.ref(field)} * 1000)`
    return sql.ref(field === 'user' ? 'user_name' : field)
  }
  return async function listVisible<Item>(
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
}

/** Reads tasks and the keys of repeatable requests. */
export function createTaskQueries(database: DatabaseReader) {
  const { db } = database
  const listVisible = createListVisible(database)
  const isWaiting = sql<boolean>`(status in ('queued', 'running') or is_shown = 1)`

  return {
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
      const { rows } = await sql<{
        n: unknown
      }>`select ${countedOf({ userId, kind })} as n`.execute(db)
      return Number(rows[0]?.n ?? 0)
    },

    async list(scope, query, requester, deleted) {
      const isLive = sql`exists (select 1 from servers where servers.id = tasks.server_id and servers.state < 2)`
      const name = sql`case when ${visibleIn(deleted)} or ${isLive} then server_name else '' end`
      const toItem = (row: Row) => ({
        ...toTask(row as unknown as Tables['tasks']),
        server: String(row['visible_name']),
      })
      return await listVisible('tasks', taskFields, scope, query, requester, toItem, name)
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
  } satisfies Partial<TaskStore>
}

/** Reads batches and counts their tasks. */
export function createBatchQueries(database: DatabaseReader) {
  const { db } = database
  const listVisible = createListVisible(database)

  return {
    async findBatch(id) {
      const row = await db.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toBatch(row)
    },

    async listBatches(scope, query, requester) {
      const toItem = (row: Row) => toBatch(row as unknown as Tables['batches'])
      return await listVisible('batches', batchFields, scope, query, requester, toItem)
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
  } satisfies Partial<TaskStore>
}
