import { events } from '@muster/contract'
import { sql, type Kysely } from 'kysely'
import type { EventQuery, EventStore } from '../domain/audit/event-store.ts'
import { timePart, type EventRecord } from '../domain/audit/event.ts'
import { isMarker, writeMarker } from '../domain/query/marker.ts'
import { queryFieldsOf } from '../domain/query/query-fields.ts'
import type { AuthorizedScope } from '../domain/scope.ts'
import { quarter } from '../domain/zoned-time.ts'
import type { DatabaseReader, DatabaseWriter, Statement } from './database.ts'
import { deleteInBatches, purgeBatchSize } from './delete-in-batches.ts'
import {
  createListRows,
  createRowFilter,
  sqlFieldsOf,
  textField,
  type SqlField,
} from './list-rows.ts'
import { completeEvents, eventNumber } from './event-positions.ts'
import { allOf, anyOf, everything, nothing, type Sql } from './sql-parts.ts'
import type { Tables } from './tables.ts'
import { createInsertRows } from './insert-rows.ts'
import { createStatementTemplate } from './statement-template.ts'

/** Builds the statement that writes an event, in the same commit as the change or login it records. */
export function createInsertEvent(db: Kysely<Tables>): (event: EventRecord) => Statement {
  const insert = createStatementTemplate<EventRow>(columns, (row) =>
    db
      .insertInto('events')
      .values({ ...row, ...eventNumber(db) })
      .compile(),
  )
  return (event) => insert(toRow(event))
}

/** Builds the statements that write many events. */
export function createInsertEvents(database: Pick<DatabaseReader, 'engine' | 'db'>) {
  const insert = createInsertRows(
    database,
    'events',
    columns,
    'refuse',
    [],
    eventNumber(database.db),
  )
  return (events: readonly EventRecord[]): Statement[] => {
    const rows = events.map(toRow)
    return insert(rows.map((row) => columns.map((column) => row[column])))
  }
}

const day = 86_400_000
const eventFields = queryFieldsOf(events)

/** Filters on these need no scan of the whole audit log. */
const indexed: ReadonlySet<string> = new Set([
  'id',
  'user_id',
  'action',
  'target_type',
  'target_id',
  'project_id',
  'domain_id',
  'result',
  'request_id',
  // The same for all of them.
  'record',
])

const listOf = ({ where, byCommit, descending }: EventQuery) => ({
  scope: undefined,
  where,
  order: byCommit === true ? [{ field: 'position', descending }] : [],
})

/** The domain of an event is that of its target. */
function visibleTo({ scope, self }: AuthorizedScope): Sql {
  const own = self === undefined ? nothing : sql`user_id = ${self}`
  switch (scope.kind) {
    case 'system':
      return everything
    case 'domain':
      return anyOf([own, sql`domain_id = ${scope.domainId}`])
    case 'project':
      return anyOf([own, sql`project_id = ${scope.projectId}`])
    case 'none':
      return own
  }
}

/** What the caller sees of a time. */
const conditionsOf = (
  authorizedScope: AuthorizedScope,
  { since, before }: Pick<EventQuery, 'since' | 'before'>,
): Sql[] => [
  visibleTo(authorizedScope),
  ...(since === undefined ? [] : [sql`id >= ${timePart(since)}`]),
  ...(before === undefined ? [] : [sql`id < ${timePart(before)}`]),
]

/** Events are not kept for a sink that no process has served for a day: it is no longer in use. */
export const waitsForSink = (now: number) =>
  sql<boolean>`exists (select 1 from event_sinks as sink where sink.leased_until > ${now - day}
    and (events.position, events.id) > (sink.position, sink.event_id))`

export function createEventStore(database: DatabaseReader & DatabaseWriter): EventStore {
  const { db, engine, run } = database
  const insertEvent = createInsertEvent(db)
  const filter = createRowFilter(engine)
  const listRows = createListRows(database)
  const empty = textField(engine, sql`''`)
  const fields: Readonly<Record<string, SqlField>> = sqlFieldsOf(engine, eventFields, (field) => {
    if (field === 'time') return sql`(time * 1000)`
    if (field === 'record') return sql`'event'`
    return sql.ref(field === 'user' ? 'user_name' : field)
  })
  const position: SqlField = { ...textField(engine, sql.ref('position')), kind: 'number' }

  /** An event that became a change keeps its place in the order of commits. */
  async function placeOf(id: string, query: EventQuery): Promise<string> {
    if (isMarker(id)) return id
    const row = await db
      .selectFrom('former_events')
      .select('position')
      .where('id', '=', id)
      .executeTakeFirst()
    return row ? writeMarker(listOf(query), { keys: [row.position], id }) : id
  }

  return {
    async record(event) {
      await database.commit([insertEvent(event)])
    },

    async list(authorizedScope, query) {
      const { marker, descending, requester } = query
      const { hidesIp = false, byCommit = false } = query
      const source = {
        columns: sql.raw('events.*'),
        from: sql.table('events'),
        conditions: [
          ...conditionsOf(authorizedScope, query),
          ...(byCommit ? [completeEvents(engine)] : []),
          ...(marker === undefined || byCommit
            ? []
            : [sql`id ${sql.raw(descending ? '<' : '>')} ${marker}`]),
        ],
        fields: { ...fields, position, ...(hidesIp && { ip: empty }) },
        searched: eventFields.searched,
        // An export reads everything, so it takes turns with others.
        indexed: byCommit ? ('none' as const) : indexed,
        id: sql.ref('id'),
      }
      const { items, next } = await listRows(
        source,
        {
          ...listOf(query),
          limit: query.limit,
          offset: 0,
          marker: byCommit && marker !== undefined ? await placeOf(marker, query) : undefined,
        },
        (row) => toEventRecord(row as unknown as EventRow),
        { requester, counts: false, descending },
      )
      // An export continues by position: its last event may be deleted meanwhile.
      return { items, next: byCommit || next === undefined ? next : items.at(-1)?.id }
    },

    async count(authorizedScope, { where, requester, ...times }, most) {
      const matching = filter({ fields, searched: eventFields.searched }, where)
      const newest = sql`select time, result from events
        where ${allOf([...conditionsOf(authorizedScope, times), matching])}
        order by id desc limit ${most}`
      const counted = sql`select time / ${sql.lit(quarter)} as quarter, count(*) as n,
        sum(case when result = 'success' then 0 else 1 end) as failed
        from (${newest}) as newest group by 1 order by 1`
      const [rows = []] = await run([counted.compile(db)], requester)
      return rows.map((row) => ({
        start: Number(row['quarter']) * quarter,
        count: Number(row['n']),
        failed: Number(row['failed']),
      }))
    },

    async usersOf(requestIds) {
      if (requestIds.length === 0) return new Map()
      const rows = await db
        .selectFrom('events')
        .select(['request_id', 'user_id', 'user_name as user'])
        .where('request_id', 'in', requestIds)
        .where('user_id', '<>', '')
        .execute()
      return new Map(rows.map(({ request_id: id, ...user }) => [id, user]))
    },

    async purge(before, now) {
      const batch = db.deleteFrom('events').where('id', 'in', (eb) =>
        eb
          .selectFrom('events')
          .select('id')
          .where('id', '<', timePart(before))
          .where((where) => where.not(waitsForSink(now)))
          .limit(purgeBatchSize),
      )
      await deleteInBatches(database, batch.compile())
      const moved = db.deleteFrom('former_events').where('id', '<', timePart(before))
      await database.commit([moved.compile()])
    },
  }
}

export type EventRow = Omit<Tables['events'], 'position'>

const columns: readonly (keyof EventRow)[] = [
  'id',
  'time',
  'action',
  'target_type',
  'target_id',
  'target_name',
  'user_id',
  'user_name',
  'project_id',
  'domain_id',
  'ip',
  'request_id',
  'result',
  'changes',
]

const toRow = (event: EventRecord): EventRow => ({
  id: event.id,
  time: event.time,
  action: event.action,
  target_type: event.target_type,
  target_id: event.target_id,
  target_name: event.target_name,
  user_id: event.user_id,
  user_name: event.user,
  project_id: event.project_id,
  domain_id: event.domain_id,
  ip: event.ip,
  request_id: event.request_id,
  result: event.result,
  changes: JSON.stringify(event.changes),
})

export const toEventRecord = (row: EventRow): EventRecord => ({
  id: row.id,
  time: row.time,
  action: row.action,
  target_type: row.target_type,
  target_id: row.target_id,
  target_name: row.target_name,
  user_id: row.user_id,
  user: row.user_name,
  project_id: row.project_id,
  domain_id: row.domain_id,
  ip: row.ip,
  request_id: row.request_id,
  result: row.result as EventRecord['result'],
  changes: JSON.parse(row.changes) as EventRecord['changes'],
  record: 'event',
  not_observed_since: null,
})
