import type { Server } from '@muster/contract'
import { chunk } from '../../domain/chunk.ts'
import {
  describeReferenced,
  eachReference,
  toResource,
} from '../../domain/inventory/referenced-resources.ts'
import type { ServerWrite } from '../../domain/inventory/ports.ts'
import type { ResourceObject } from '../../domain/inventory/resource-finder.ts'
import { referencedKinds, resourceOf, type ReferencedKind } from '../../domain/inventory/kinds.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { createFormerResources } from '../history/resource-changes.ts'
import { columnNames, columnsOf, toRow } from './columns.ts'

const byId = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

/** The resources that a stored server refers to are stored, too, unless an earlier version stored it. */
function referencedBefore({ stored }: ServerWrite): ReadonlySet<string> {
  const before = new Set<string>()
  if (!stored || stored.newFields || stored.server.deleted) return before
  eachReference(stored.server, (kind, id) => before.add(`${kind} ${id}`))
  return before
}

/** The resources that live and recycled servers newly refer to, each with one of these servers. */
function referencedBy(writes: readonly ServerWrite[]) {
  const referenced = new Map(referencedKinds.map((kind) => [kind, new Map<string, Server>()]))
  for (const write of writes) {
    const { server } = write
    if (server.deleted) continue
    const before = referencedBefore(write)
    eachReference(server, (kind, id) => {
      if (!before.has(`${kind} ${id}`)) referenced.get(kind)?.set(id, server)
    })
  }
  return referenced
}

/**
 * Inserts the resources that servers refer to and that are not stored yet, so that each id leads to a
 * row. Scans fill in what the source reports about them.
 */
export function createReferencedResources(database: DatabaseReader) {
  const former = createFormerResources(database)
  const writers = new Map(
    referencedKinds.map((kind) => {
      const columns = columnsOf(resourceOf(kind))
      const insert = createInsertRows(database, kind, columnNames(columns), 'keep')
      return [kind, { columns, insert }]
    }),
  )

  /** Scans of any process may have removed a resource, so the database is asked each time. */
  async function storedAmong(kind: ReferencedKind, ids: Iterable<string>) {
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

  /** With a revision, it records that the resources appear. */
  return async function referencedResources(
    writes: readonly ServerWrite[],
    revision: number | undefined,
  ): Promise<Statement[]> {
    const now = timestamp(Date.now())
    const toObject = (kind: ReferencedKind, id: string, server: Server): ResourceObject => ({
      ...toResource(kind, id, describeReferenced(kind, id, server)),
      created_at: now,
      updated_at: now,
    })
    const statements: Statement[] = []
    for (const [kind, referenced] of referencedBy(writes)) {
      const writer = writers.get(kind)
      if (!writer || referenced.size === 0) continue
      const stored = await storedAmong(kind, referenced.keys())
      // In a fixed order, so that concurrent commits do not deadlock.
      const missing = [...referenced].filter(([id]) => !stored.has(id)).toSorted(byId)
      const ids = missing.map(([id]) => id)
      statements.push(
        ...(revision === undefined ? [] : former.ofIds(kind, ids, revision)),
        ...writer.insert(
          missing.map(([id, server]) => toRow(writer.columns, toObject(kind, id, server))),
        ),
      )
    }
    return statements
  }
}
