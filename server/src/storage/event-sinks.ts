import { eventDeliveries, type EventDelivery } from '@muster/contract'
import { sql } from 'kysely'
import type {
  DeliveryLog,
  LogPosition,
  PositionedEvent,
  SinkStore,
} from '../domain/audit/event-sink.ts'
import { background } from '../domain/inventory/ports.ts'
import { queryFieldsOf } from '../domain/query/query-fields.ts'
import { timestamp } from '../domain/timestamp.ts'
import { required, type DatabaseReader, type DatabaseWriter, type Row } from './database.ts'
import { completeEvents } from './event-positions.ts'
import { toEventRecord } from './event-store.ts'
import { createInsertRows } from './insert-rows.ts'
import { createListRows, sqlFieldsOf } from './list-rows.ts'
import type { Sql } from './sql-parts.ts'
import type { Tables } from './tables.ts'

/** How many attempts of each sink the delivery log keeps. */
const loggedAttempts = 1_000
/** The highest number of events that the lag counts. */
const countedEvents = 10_000

const deliveryFields = queryFieldsOf(eventDeliveries)
const columns = [
  'sink',
  'attempt',
  'event_id',
  'time',
  'duration_ms',
  'status',
  'result',
  'error',
] as const

/** What a sink delivers, in the order of commits. */
export interface DeliveredLog {
  readonly table: 'event_sinks' | 'change_sinks'
  /** The last one that is complete; undefined if there is none. */
  newest(): Promise<LogPosition | undefined>
  next(after: LogPosition, limit: number): Promise<readonly PositionedEvent[]>
  /** Selects the `time` of those that are not delivered yet. */
  waiting(after: LogPosition, limit: number): Sql
}

/** The events of the audit log. */
export function createEventLog({ db, engine }: DatabaseReader): DeliveredLog {
  const complete = sql<boolean>`${completeEvents(engine)}`
  const after = ({ position, event_id }: LogPosition) =>
    db
      .selectFrom('events')
      .where(sql<boolean>`(position, id) > (${position}, ${event_id})`)
      .where(complete)
      .orderBy('position')
      .orderBy('id')
  return {
    table: 'event_sinks',
    async newest() {
      return await db
        .selectFrom('events')
        .select(['position', 'id as event_id'])
        .where(complete)
        .orderBy('position', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
    },
    async next(state, limit) {
      const rows = await after(state).selectAll().limit(limit).execute()
      return rows.map((row) => ({
        at: { position: row.position, event_id: row.id },
        event: toEventRecord(row),
      }))
    },
    waiting: (state, limit) => sql`${after(state).select('time').limit(limit)}`,
  }
}

/** Stores the position of each sink, and logs its attempts. */
export function createSinkStore(
  database: DatabaseReader & DatabaseWriter,
  log: DeliveredLog,
): SinkStore {
  const { db, commit } = database
  const insertDeliveries = createInsertRows(database, 'event_deliveries', columns, 'refuse')
  // Both tables have the same columns.
  const table = log.table as 'event_sinks'

  /** A new sink starts after the newest event. Older events are exported instead. */
  async function create(name: string): Promise<void> {
    const { position, event_id } = (await log.newest()) ?? {
      position: Number.MIN_SAFE_INTEGER,
      event_id: '',
    }
    const row = { name, position, event_id, runner: '', leased_until: 0 }
    await commit([
      db
        .insertInto(table)
        .values({ ...row, attempts: 0, failing_since: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    ])
  }

  const find = (name: string) =>
    db.selectFrom(table).selectAll().where('name', '=', name).executeTakeFirst()

  return {
    async acquire(name, runner, now, until) {
      if (!(await find(name))) await create(name)
      const [result] = await commit([
        db
          .updateTable(table)
          .set({ runner, leased_until: until })
          .where('name', '=', name)
          .where((eb) => eb.or([eb('runner', '=', runner), eb('leased_until', '<', now)]))
          .compile(),
      ])
      return result?.changes ? await find(name) : undefined
    },

    async release(name, runner) {
      await commit([
        db
          .updateTable(table)
          .set({ leased_until: 0 })
          .where('name', '=', name)
          .where('runner', '=', runner)
          .compile(),
      ])
    },

    next: log.next,

    async record(name, runner, { position, event_id, attempts, failing_since }, added) {
      const first = attempts - added.length + 1
      await commit([
        required(
          db
            .updateTable(table)
            .set({ position, event_id, attempts, failing_since })
            .where('name', '=', name)
            .where('runner', '=', runner)
            .compile(),
          'lease',
        ),
        ...insertDeliveries(
          added.map((attempt, at) => {
            const row = { ...attempt, sink: name, attempt: first + at }
            return columns.map((column) => row[column])
          }),
        ),
        db
          .deleteFrom('event_deliveries')
          .where('sink', '=', name)
          .where('attempt', '<=', attempts - loggedAttempts)
          .compile(),
      ])
    },

    async lag(name) {
      const sink = await find(name)
      if (!sink) return { events: 0, since: undefined }
      const count = sql`select count(*) as events, min(time) as since
        from (${log.waiting(sink, countedEvents)}) as waiting`
      const [[row] = []] = await database.run([count.compile(db)], background)
      return {
        events: Number(row?.['events']),
        since: (row?.['since'] as number | null) ?? undefined,
      }
    },
  }
}

/** The attempts of all sinks. */
export function createDeliveryLog(database: DatabaseReader): DeliveryLog {
  const listRows = createListRows(database)
  const idOfDelivery: Sql = sql`(sink || '-' || attempt)`
  const fields = sqlFieldsOf(database.engine, deliveryFields, (field) => {
    if (field === 'id') return idOfDelivery
    return field === 'time' ? sql`(time * 1000)` : sql.ref(field)
  })
  return {
    async listDeliveries(query, requester) {
      const source = {
        columns: sql.raw('event_deliveries.*'),
        from: sql.table('event_deliveries'),
        conditions: [],
        fields: fields as Readonly<Record<string, (typeof fields)['id']>>,
        searched: deliveryFields.searched,
        id: idOfDelivery,
      }
      const toItem = (row: Row) => toDelivery(row as unknown as Tables['event_deliveries'])
      return await listRows(source, query, toItem, { requester })
    },
  }
}

const toDelivery = ({ attempt, ...row }: Tables['event_deliveries']): EventDelivery => ({
  id: `${row.sink}-${attempt}`,
  sink: row.sink as EventDelivery['sink'],
  event_id: row.event_id,
  time: timestamp(row.time),
  duration_ms: row.duration_ms,
  status: row.status,
  result: row.result as EventDelivery['result'],
  error: row.error,
})
