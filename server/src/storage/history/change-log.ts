import type { ServerChange } from '@muster/contract'
import { sql } from 'kysely'
import type { Clock } from '../../domain/clock.ts'
import { toEvent } from '../../domain/inventory/history/change-events.ts'
import type { ServerChange as ChangeWithVersions } from '../../domain/inventory/history/ports.ts'
import { createMarkChanges } from '../../domain/inventory/history/gaps.ts'
import { describeForReceivers } from '../../domain/inventory/history/view-change.ts'
import { background } from '../../domain/inventory/ports.ts'
import type { DatabaseReader, Row } from '../database.ts'
import type { DeliveredLog } from '../event-sinks.ts'
import { createChangeStore } from './change-store.ts'
import { createGapStore } from './gap-store.ts'

function tell(change: ChangeWithVersions) {
  const { commit, seq } = change.record.position
  const described = describeForReceivers(change)
  return described ? [{ at: { position: commit, event_id: String(seq) }, described }] : []
}
type Told = ReturnType<typeof tell>[number]

/** The changes of servers in the form of events, for receivers. */
export function createChangeLog(database: DatabaseReader, clock: Clock): DeliveredLog {
  const { db, run } = database
  const changes = createChangeStore(database)
  const markChanges = createMarkChanges({ gaps: createGapStore(database), clock })
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
      let after = { commit: state.position, seq: Number(state.event_id) }
      let told: Told[] = []
      // Changes that receivers are not told of must not hold up those that follow.
      for (let isLast = false; told.length === 0 && !isLast;) {
        const records = await changes.listAfter(after, limit, background)
        const found = await changes.withVersions(records, background)
        told = found.flatMap(tell)
        after = records.at(-1)?.position ?? after
        isLast = records.length < limit
      }
      const marked = await markChanges(
        told.map(({ described }) => described),
        background,
      )
      return told.map(({ at }, index) => ({ at, event: toEvent(marked[index] as ServerChange) }))
    },

    waiting: ({ position, event_id }, limit) =>
      sql`select time ${from} where (position, server) > (${position}, ${Number(event_id)})
        and kinds <> 0 order by ${keys} limit ${limit}`,
  }
}
