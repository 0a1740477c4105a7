import type { Server } from '@muster/contract'
import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import { childrenOf } from '../../domain/inventory/child-resources.ts'
import { childKinds, resourceOf, type ChildKind } from '../../domain/inventory/kinds.ts'
import type { ResourceObject } from '../../domain/inventory/resource-finder.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import type { ServerEntry } from '../servers/rows.ts'
import { columnNames, columnsOf, toRow } from './columns.ts'

/** The items of a server by their ids. A deleted server has none. */
const itemsOf = (kind: ChildKind, server: Server | undefined) =>
  new Map<string, ResourceObject>(
    !server || server.deleted ? [] : childrenOf(kind, server).map((item) => [item.id, item]),
  )

const isSame = (a: ResourceObject, b: ResourceObject | undefined) =>
  JSON.stringify(a) === JSON.stringify(b)

const hasNoTime = ({ created_at: time = null }: ResourceObject) => time === null

/**
 * Writes the items that belong to servers, such as their disks, with these servers. A copy of the past does not know
 * when Muster first saw an item: it has the time of its server.
 */
export function createChildResources(database: DatabaseReader, isCopy = false) {
  const { db } = database
  const writers = childKinds.map((kind) => {
    const columns = columnsOf(resourceOf(kind))
    const names = ['server', ...columnNames(columns)]
    const key = ['server', 'id']
    const write = createInsertRows(database, kind, names, { keep: ['created_at'] }, key)
    const writeWithTime = createInsertRows(database, kind, names, 'replace', key)
    return { kind, columns, write, writeWithTime }
  })

  return function childResources(entries: readonly ServerEntry[]): Statement[] {
    const now = timestamp(Date.now())
    return writers.flatMap(({ kind, columns, write, writeWithTime }) => {
      const removed: (readonly [server: number, id: string])[] = []
      const changed: {
        readonly seq: number
        readonly item: ResourceObject
        readonly seenAt: string
      }[] = []
      for (const {
        write: { stored },
        server,
        seq,
      } of entries) {
        const before = itemsOf(kind, stored?.server)
        const after = itemsOf(kind, server)
        const seenAt = (isCopy ? server.created_at : null) ?? now
        for (const id of before.keys()) if (!after.has(id)) removed.push([seq, id])
        for (const [id, item] of after) {
          // An earlier version of Muster may have stored the server without them.
          if (stored?.newFields || !isSame(item, before.get(id)))
            changed.push({ seq, item, seenAt })
        }
      }
      return [
        ...[...chunk(removed)].map((piece) => {
          const rows = sql.join(piece.map(([seq, id]) => sql`(cast(${seq} as integer), ${id})`))
          return sql`delete from ${sql.table(kind)} where (server, id) in (values ${rows})`.compile(
            db,
          )
        }),
        // Without a time from the source, the time when Muster first saw the item stays.
        ...write(
          changed
            .filter(({ item }) => hasNoTime(item))
            .map(({ seq, item, seenAt }) => [
              seq,
              ...toRow(columns, { ...item, created_at: seenAt }),
            ]),
        ),
        ...writeWithTime(
          changed
            .filter(({ item }) => !hasNoTime(item))
            .map(({ seq, item }) => [seq, ...toRow(columns, item)]),
        ),
      ]
    })
  }
}
