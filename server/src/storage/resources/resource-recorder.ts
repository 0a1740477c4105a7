import { sql } from 'kysely'
import type { Clock } from '../../domain/clock.ts'
import { chunk } from '../../domain/chunk.ts'
import { background } from '../../domain/inventory/ports.ts'
import { referencedKinds, resourceOf } from '../../domain/inventory/kinds.ts'
import type { ResourceRecorder, SeenResource } from '../../domain/inventory/resource-recorder.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { DatabaseReader, DatabaseWriter, Statement } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { recordCommit } from '../history/commit-record.ts'
import { createFormerResources } from '../history/resource-changes.ts'
import { createNumbers } from '../servers/numbers.ts'
import { commitFenced, createRequireFence } from '../servers/sightings.ts'
import type { Sql } from '../sql-parts.ts'
import { columnNames, columnsOf, toRow } from './columns.ts'
import { deleteOrphans } from './delete-orphans.ts'
import { isOrphaned } from './referring-servers.ts'

const keyOf = (kind: string, id: string) => `${kind} ${id}`

const byId = (a: SeenResource, b: SeenResource) => (a.object.id < b.object.id ? -1 : 1)

/** Stores the resources that accounts see. */
export function createResourceRecorder(
  database: DatabaseReader & DatabaseWriter,
  clock: Clock,
): ResourceRecorder {
  const { db } = database
  const takeNumbers = createNumbers(database)
  const former = createFormerResources(database)
  const requireFence = createRequireFence(database)
  const writers = referencedKinds.map((kind) => {
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
    const parts = referencedKinds.map(
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

  /** Conditions that together select the sightings of these resources. */
  const sightingsOf = (keys: readonly string[]): Sql[] =>
    referencedKinds.flatMap((kind) => {
      const prefix = keyOf(kind, '')
      const ids = keys
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length))
      return [...chunk(ids)].map(
        (piece) => sql`kind = ${kind} and resource_id in (${sql.join(piece)})`,
      )
    })

  /** Those of the resources that an account attached earlier also sees. */
  async function heldByEarlier(
    accountId: string,
    keys: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const held = new Set<string>()
    for (const sightings of sightingsOf(keys)) {
      const { rows } = await sql<{
        kind: string
        resource_id: string
      }>`select kind, resource_id from resource_sightings inner join cloudaccounts as holder on holder.id = account_id inner join cloudaccounts as own on own.id = ${accountId} where ${sightings} and (holder.created_at, holder.id) < (own.created_at, own.id)`.execute(
        db,
      )
      for (const row of rows) held.add(keyOf(row.kind, row.resource_id))
    }
    return held
  }

  /** Only the account that wrote a resource last has a digest. The others write it when they may. */
  const clearOtherDigests = (accountId: string, written: readonly string[]): Statement[] =>
    sightingsOf(written).map((sightings) =>
      sql`update resource_sightings set digest = '' where ${sightings} and account_id <> ${accountId} and digest <> ''`.compile(
        db,
      ),
    )

  const deleteSightings = (accountId: string, lost: readonly string[]): Statement[] =>
    sightingsOf(lost).map((sightings) =>
      sql`delete from resource_sightings where account_id = ${accountId} and ${sightings}`.compile(
        db,
      ),
    )

  async function removeOrphans(): Promise<void> {
    const queries = referencedKinds.map((kind) =>
      sql`select id from ${sql.table(kind)} where ${isOrphaned(kind)} limit 1`.compile(db),
    )
    const found = await database.run(queries, background)
    const orphaned = referencedKinds.filter((_, at) => (found[at]?.length ?? 0) > 0)
    if (orphaned.length === 0) return
    const { revision } = await takeNumbers({ revision: 1 })
    const statements = deleteOrphans(database, revision, orphaned)
    const commit = recordCommit(database, revision, clock())
    await database.commitServers(statements, new Set(), commit)
  }

  return {
    async record({ id: accountId, fence }, seen, isComplete) {
      const known = await digestsOf(accountId)
      const byKey = new Map(seen.map((each) => [keyOf(each.kind, each.object.id), each]))
      const differing = [...byKey]
        .filter(([key, { digest }]) => known.get(key) !== digest)
        .filter(([key, { isOnlyReferenced }]) => isComplete || !isOnlyReferenced || !known.has(key))
        .map(([key]) => key)
      const held = await heldByEarlier(accountId, differing)
      const written = differing.filter((key) => !held.has(key))
      const left = [...held].filter((key) => known.get(key) !== '')
      const lost = isComplete ? [...known.keys()].filter((key) => !byKey.has(key)) : []
      if (written.length + left.length + lost.length > 0) {
        const { revision } = await takeNumbers({ revision: 1 })
        const time = clock()
        const now = timestamp(time)
        const seenOf = (keys: readonly string[]) =>
          keys.map((key) => byKey.get(key)).filter((each) => each !== undefined)
        // In a fixed order, so that concurrent commits do not deadlock.
        const upserts = writers.flatMap(({ kind, columns, insert }) => {
          const objects = seenOf(written)
            .filter((each) => each.kind === kind)
            .toSorted(byId)
            .map(({ object }) => ({ ...object, created_at: now, updated_at: now }))
          return [
            ...former.ofIds(
              kind,
              objects.map(({ id }) => id),
              revision,
            ),
            ...insert(objects.map((object) => toRow(columns, object))),
          ]
        })
        const sightings = [
          ...seenOf(written),
          ...seenOf(left).map((each) => ({ ...each, digest: '' })),
        ].map(({ kind, object, digest }) => [accountId, kind, object.id, digest])
        const statements = [
          requireFence({ accountId, fence }),
          ...upserts,
          ...insertSightings(sightings),
          ...clearOtherDigests(accountId, written),
          ...deleteSightings(accountId, lost),
        ]
        const commit = written.length > 0 ? recordCommit(database, revision, time) : []
        await commitFenced(() => database.commitServers(statements, new Set(), commit))
      }
      if (isComplete) await removeOrphans()
    },
  }
}
