import { sql } from 'kysely'
import { toEvent } from '../../domain/inventory/history/change-events.ts'
import { describeForReceivers } from '../../domain/inventory/history/list-changes.ts'
import { background } from '../../domain/inventory/ports.ts'
import type { DatabaseReader, Row } from '../database.ts'
import type { DeliveredLog } from '../event-sinks.ts'
import { createChangeStore } from './change-store.ts'

/** The changes of servers in the form of events, for receivers. */
export function createChangeLog(database: DatabaseReader): DeliveredLog {
  const { db, run } = database
  const changes = createChangeStore(database)
  const from = sql`from change_commits inner join server_changes as changed
    on changed.revision = change_commits.revision`
  const keys = sql`position, server`

  const toPosition = (row: Row | undefined) =>
    row && { position: Number(row['position']), event_id: String(row['server']) }

  return {
    table: 'change_sinks',

    async newest() {
      const last = sql`select ${keys} ${from} order by position desc, server desc limit 1`
      const [[row] = []] = await run([last.compile(db)], background)
      return toPosition(row)
    },

    async next(state, limit) {
      const records = await changes.listAfter(
        { commit: state.position, seq: Number(state.event_id) },
        limit,
        background,
      )
      const found = await changes.withVersions(records, background)
      return found.flatMap((change) => {
        const { commit, seq } = change.record.position
        const told = describeForReceivers(change)
        return told === undefined
          ? []
          : [{ at: { position: commit, event_id: String(seq) }, event: toEvent(told) }]
      })
    },

    waiting: ({ position, event_id }, limit) =>
      sql`select time ${from} where (position, server) > (${position}, ${Number(event_id)})
        and kinds <> 0 order by ${keys} limit ${limit}`,
  }
}
