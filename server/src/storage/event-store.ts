import type { Kysely } from 'kysely'
import type { EventStore } from '../domain/audit/event-store.ts'
import { timePart, type EventRecord } from '../domain/audit/event.ts'
import type { ScopeOrNone } from '../domain/scope.ts'
import type { DatabaseReader, DatabaseWriter, Statement } from './database.ts'
import { deleteInBatches, purgeBatchSize } from './delete-in-batches.ts'
import type { Tables } from './tables.ts'
import { createInsertRows } from './insert-rows.ts'
import { createStatementTemplate } from './statement-template.ts'

/** Builds the statement that writes an event, in the same commit as the change or login it records. */
export function createInsertEvent(db: Kysely<Tables>): (event: EventRecord) => Statement {
  const insert = createStatementTemplate<Tables['events']>(columns, (row) =>
    db.insertInto('events').values(row).compile(),
  )
  return (event) => insert(toRow(event))
}

/** Builds the statements that write many events. */
export function createInsertEvents(database: Pick<DatabaseReader, 'engine' | 'db'>) {
  const insert = createInsertRows(database, 'events', columns, 'refuse')
  return (events: readonly EventRecord[]): Statement[] => {
    const rows = events.map(toRow)
    return insert(rows.map((row) => columns.map((column) => row[column])))
  }
}

export function createEventStore(database: DatabaseReader & DatabaseWriter): EventStore {
  const { db } = database
  const insertEvent = createInsertEvent(db)

  /** The domain of an event is that of its target. */
  const within = (scope: ScopeOrNone, self: string | undefined) => {
    const events = db.selectFrom('events').selectAll()
    if (scope.kind === 'system') return events
    return events.where((eb) =>
      eb.or([
        ...(scope.kind === 'domain' ? [eb('domain_id', '=', scope.domainId)] : []),
        ...(self === undefined ? [] : [eb('user_id', '=', self)]),
      ]),
    )
  }

  return {
    async record(event) {
      await database.commit([insertEvent(event)])
    },

    async list({ scope, self }, { since, before, matching, limit, marker }) {
      let select = within(scope, self)
      for (const [column, value] of Object.entries(matching)) {
        select = select.where(column as 'action', '=', value)
      }
      if (since !== undefined) select = select.where('id', '>=', timePart(since))
      if (before !== undefined) select = select.where('id', '<', timePart(before))
      if (marker !== undefined) select = select.where('id', '<', marker)
      const rows = await select
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return rows.map(toRecord)
    },

    async purge(before) {
      const batch = db
        .deleteFrom('events')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('events')
            .select('id')
            .where('id', '<', timePart(before))
            .limit(purgeBatchSize),
        )
      await deleteInBatches(database, batch.compile())
    },
  }
}

const columns: readonly (keyof Tables['events'])[] = [
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

const toRow = (event: EventRecord): Tables['events'] => ({
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

const toRecord = (row: Tables['events']): EventRecord => ({
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
})
