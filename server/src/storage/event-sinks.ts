import { eventDeliveries, type EventDelivery } from '@muster/contract'
import { sql } from 'kysely'
import type { SinkState, SinkStore } from '../domain/audit/event-sink.ts'
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

/** Stores the position of each sink and the log of delivery attempts. */
export function createSinkStore(database: DatabaseReader & DatabaseWriter): SinkStore {
  const { db, engine, commit } = database
  const insertDeliveries = createInsertRows(database, 'event_deliveries', columns, 'refuse')
  const listRows = createListRows(database)
  const idOfDelivery: Sql = sql`(sink || '-' || attempt)`
  const fields = sqlFieldsOf(engine, deliveryFields, (field) => {
    if (field === 'id') return idOfDelivery
    return field === 'time' ? sql`(time * 1000)` : sql.ref(field)
  })
  const complete = sql<boolean>`${completeEvents(engine)}`

  const after = ({ position, event_id }: Pick<SinkState, 'position' | 'event_id'>) =>
    db
      .selectFrom('events')
      .where(sql<boolean>`(position, id) > (${position}, ${event_id})`)
      .where(complete)
      .orderBy('position')
      .orderBy('id')

  /** A new sink starts after the newest event. Older events are exported instead. */
  async function create(name: string): Promise<void> {
    const newest = await db
      .selectFrom('events')
      .select(['position', 'id'])
      .where(complete)
      .orderBy('position', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    const { position = Number.MIN_SAFE_INTEGER, id = '' } = newest ?? {}
    const row = { name, position, event_id: id, runner: '', leased_until: 0 }
    await commit([
      db
        .insertInto('event_sinks')
        .values({ ...row, attempts: 0, failing_since: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    ])
  }

  const find = (name: string) =>
    db.selectFrom('event_sinks').selectAll().where('name', '=', name).executeTakeFirst()

  return {
    async acquire(name, runner, now, until) {
      if (!(await find(name))) await create(name)
      const [result] = await commit([
        db
          .updateTable('event_sinks')
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
          .updateTable('event_sinks')
          .set({ leased_until: 0 })
          .where('name', '=', name)
          .where('runner', '=', runner)
          .compile(),
      ])
    },

    async next(state, limit) {
      const rows = await after(state).selectAll().limit(limit).execute()
      return rows.map((row) => ({ position: row.position, event: toEventRecord(row) }))
    },

    async record(name, runner, { position, event_id, attempts, failing_since }, added) {
      const first = attempts - added.length + 1
      await commit([
        required(
          db
            .updateTable('event_sinks')
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
      const waiting = after(sink).select('time').limit(countedEvents).as('waiting')
      const count = db
        .selectFrom(waiting)
        .select((eb) => [eb.fn.countAll<number>().as('events'), eb.fn.min('time').as('since')])
      const [[row] = []] = await database.run([count.compile()], background)
      return {
        events: Number(row?.['events']),
        since: (row?.['since'] as number | null) ?? undefined,
      }
    },

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
