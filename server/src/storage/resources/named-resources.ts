import type { Server } from '@muster/contract'
import { chunk } from '../../domain/chunk.ts'
import {
  describeNamed,
  eachNamedResource,
  toResource,
} from '../../domain/inventory/named-resources.ts'
import type { ServerWrite } from '../../domain/inventory/ports.ts'
import type { ResourceObject } from '../../domain/inventory/resource-finder.ts'
import { allKinds, resourceOf, type ResourceKind } from '../../domain/inventory/resource-kinds.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { columnNames, columnsOf, toRow } from './columns.ts'

const byId = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

/** The resources that a stored server names are stored, too, unless an earlier version stored it. */
function namedBefore({ stored }: ServerWrite): ReadonlySet<string> {
  const before = new Set<string>()
  if (!stored || stored.newFields || stored.server.deleted) return before
  eachNamedResource(stored.server, (kind, id) => before.add(`${kind} ${id}`))
  return before
}

/** The resources that live and recycled servers name anew, each with one of these servers. */
function namedBy(writes: readonly ServerWrite[]) {
  const named = new Map(allKinds.map((kind) => [kind, new Map<string, Server>()]))
  for (const write of writes) {
    const { server } = write
    if (server.deleted) continue
    const before = namedBefore(write)
    eachNamedResource(server, (kind, id) => {
      if (!before.has(`${kind} ${id}`)) named.get(kind)?.set(id, server)
    })
  }
  return named
}

/**
 * Inserts the resources that servers name and that are not stored yet, so that each id leads to a
 * row. Scans fill in what the source reports about them.
 */
export function createNamedResources(database: DatabaseReader) {
  const writers = new Map(
    allKinds.map((kind) => {
      const columns = columnsOf(resourceOf(kind))
      const insert = createInsertRows(database, kind, columnNames(columns), 'keep')
      return [kind, { columns, insert }]
    }),
  )

  /** Scans of any process may have removed a resource, so the database is asked each time. */
  async function storedAmong(kind: ResourceKind, ids: Iterable<string>) {
    const stored = new Set<string>()
    for (const piece of chunk(ids)) {
      const rows = await database.db
        .selectFrom(kind)
        .select('id')
        .where('id', 'in', piece)
        .execute()
      for (const { id } of rows) stored.add(id)
    }
    return stored
  }

  return async function namedResources(writes: readonly ServerWrite[]): Promise<Statement[]> {
    const now = timestamp(Date.now())
    const toObject = (kind: ResourceKind, id: string, server: Server): ResourceObject => ({
      ...toResource(kind, id, describeNamed(kind, id, server)),
      created_at: now,
      updated_at: now,
    })
    const statements: Statement[] = []
    for (const [kind, named] of namedBy(writes)) {
      const writer = writers.get(kind)
      if (!writer || named.size === 0) continue
      const stored = await storedAmong(kind, named.keys())
      // In a fixed order, so that concurrent commits do not deadlock.
      const missing = [...named].filter(([id]) => !stored.has(id)).toSorted(byId)
      statements.push(
        ...writer.insert(
          missing.map(([id, server]) => toRow(writer.columns, toObject(kind, id, server))),
        ),
      )
    }
    return statements
  }
}
