import type { Server } from '@muster/contract'
import {
  describeNamed,
  eachNamedResource,
  toResource,
} from '../../domain/inventory/named-resources.ts'
import type { ResourceObject } from '../../domain/inventory/resource-finder.ts'
import { allKinds, resourceOf, type ResourceKind } from '../../domain/inventory/resource-kinds.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { columnNames, columnsOf, toRow } from './columns.ts'

/** How long an inserted resource counts as present. A scan may remove it when no server names it. */
const knownFor = 60_000

const byId = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

const emptySets = () => new Map(allKinds.map((kind) => [kind, new Set<string>()]))

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
  let known = emptySets()
  let knownSince = 0

  function unknownOf(servers: readonly Server[]) {
    const unknown = new Map(allKinds.map((kind) => [kind, new Map<string, Server>()]))
    for (const server of servers) {
      if (server.deleted) continue
      eachNamedResource(server, (kind, id) => {
        if (!known.get(kind)?.has(id)) unknown.get(kind)?.set(id, server)
      })
    }
    return unknown
  }

  return function namedResources(servers: readonly Server[]): {
    readonly statements: Statement[]
    /** Call it after the commit. */
    readonly onWritten: () => void
  } {
    const now = Date.now()
    if (now - knownSince > knownFor) [known, knownSince] = [emptySets(), now]
    const unknown = unknownOf(servers)
    const times = { created_at: timestamp(now), updated_at: timestamp(now) }
    const toObject = (kind: ResourceKind, id: string, server: Server): ResourceObject => ({
      ...toResource(kind, id, describeNamed(kind, id, server)),
      ...times,
    })
    const statements = [...unknown].flatMap(([kind, named]) => {
      const writer = writers.get(kind)
      if (!writer || named.size === 0) return []
      const { columns, insert } = writer
      // In a fixed order, so that concurrent commits do not deadlock.
      const rows = [...named].toSorted(byId)
      return insert(rows.map(([id, server]) => toRow(columns, toObject(kind, id, server))))
    })
    return {
      statements,
      onWritten() {
        for (const [kind, named] of unknown) for (const id of named.keys()) known.get(kind)?.add(id)
      },
    }
  }
}
