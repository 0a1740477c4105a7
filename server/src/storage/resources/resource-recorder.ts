import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import { background } from '../../domain/inventory/ports.ts'
import { allKinds, resourceOf, type ResourceKind } from '../../domain/inventory/resource-kinds.ts'
import type { ResourceRecorder, SeenResource } from '../../domain/inventory/resource-recorder.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { DatabaseReader, DatabaseWriter, Statement } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { commitFenced, createRequireFence } from '../servers/sightings.ts'
import { columnNames, columnsOf, toRow } from './columns.ts'
import { isOrphaned } from './naming-servers.ts'

const keyOf = (kind: string, id: string) => `${kind} ${id}`

const byId = (a: SeenResource, b: SeenResource) => (a.object.id < b.object.id ? -1 : 1)

/** Deletes resources that no account sees and no server names. */
export const deleteOrphans = (db: DatabaseReader['db'], kind: ResourceKind): Statement =>
  sql`delete from ${sql.table(kind)} where ${isOrphaned(kind)}`.compile(db)

/** Stores the resources that accounts see. */
export function createResourceRecorder(
  database: DatabaseReader & DatabaseWriter,
): ResourceRecorder {
  const { db } = database
  const requireFence = createRequireFence(database)
  const writers = allKinds.map((kind) => {
    const columns = columnsOf(resourceOf(kind))
    const conflict = { keep: ['created_at'] }
    const insert = createInsertRows(database, kind, columnNames(columns), conflict, ['id'])
    return { kind, columns, insert }
  })
  const sightingColumns = ['account_id', 'kind', 'resource_id', 'digest']
  const insertSightings = createInsertRows(
    database,
    'resource_sightings',
    sightingColumns,
    'replace',
    sightingColumns.slice(0, 3),
  )

  /** The digests of what the account last saw. A resource without a row is written again. */
  async function digestsOf(accountId: string): Promise<ReadonlyMap<string, string>> {
    const parts = allKinds.map(
      (kind) =>
        sql`select kind, resource_id, digest from resource_sightings where account_id = ${accountId} and kind = ${kind} and exists (select 1 from ${sql.table(kind)} where id = resource_id)`,
    )
    const { rows } = await sql<{
      kind: string
      resource_id: string
      digest: string
    }>`${sql.join(parts, sql` union all `)}`.execute(db)
    return new Map(rows.map((row) => [keyOf(row.kind, row.resource_id), row.digest]))
  }

  function deleteSightings(accountId: string, lost: readonly string[]): Statement[] {
    return allKinds.flatMap((kind) => {
      const ids = lost
        .filter((key) => key.startsWith(keyOf(kind, '')))
        .map((key) => key.slice(keyOf(kind, '').length))
      return [...chunk(ids)].map((piece) =>
        db
          .deleteFrom('resource_sightings')
          .where('account_id', '=', accountId)
          .where('kind', '=', kind)
          .where('resource_id', 'in', piece)
          .compile(),
      )
    })
  }

  async function removeOrphans(): Promise<void> {
    const queries = allKinds.map((kind) =>
      sql`select id from ${sql.table(kind)} where ${isOrphaned(kind)} limit 1`.compile(db),
    )
    const found = await database.run(queries, background)
    const statements = allKinds
      .filter((_, at) => (found[at]?.length ?? 0) > 0)
      .map((kind) => deleteOrphans(db, kind))
    if (statements.length > 0) await database.commit(statements)
  }

  return {
    async record({ id: accountId, fence }, seen, isComplete) {
      const known = await digestsOf(accountId)
      const changed = seen.filter(
        ({ kind, object, digest }) => known.get(keyOf(kind, object.id)) !== digest,
      )
      const seenKeys = new Set(seen.map(({ kind, object }) => keyOf(kind, object.id)))
      const lost = isComplete ? [...known.keys()].filter((key) => !seenKeys.has(key)) : []
      if (changed.length + lost.length > 0) {
        const now = timestamp(Date.now())
        // In a fixed order, so that concurrent commits do not deadlock.
        const upserts = writers.flatMap(({ kind, columns, insert }) =>
          insert(
            changed
              .filter((each) => each.kind === kind)
              .toSorted(byId)
              .map(({ object }) => toRow(columns, { ...object, created_at: now, updated_at: now })),
          ),
        )
        const sightings = changed.map(({ kind, object, digest }) => [
          accountId,
          kind,
          object.id,
          digest,
        ])
        const statements = [
          requireFence({ accountId, fence }),
          ...upserts,
          ...insertSightings(sightings),
          ...deleteSightings(accountId, lost),
        ]
        await commitFenced(() => database.commit(statements))
      }
      if (isComplete) await removeOrphans()
    },
  }
}
