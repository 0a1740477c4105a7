import { defaultValues } from '@muster/contract'
import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import { referencedKinds, resourceOf, type ReferencedKind } from '../../domain/inventory/kinds.ts'
import type { DatabaseReader, DatabaseWriter, Row } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { columnNames, columnsOf, toObject, toRow } from '../resources/columns.ts'

/** The rows that resources had after a commit, of those that changed since. Null for those that did not exist. */
async function readFormer({ db }: DatabaseReader, kind: ReferencedKind, commit: number) {
  const { rows } = await sql<{ id: string; former: string | null }>`
    select changed.id, former from resource_changes as changed
    inner join change_commits on change_commits.revision = changed.revision
    inner join (select id, min(position) as position from resource_changes
      inner join change_commits on change_commits.revision = resource_changes.revision
      where kind = ${kind} and position > ${commit} group by id) as first
      on first.id = changed.id and first.position = change_commits.position
    where changed.kind = ${kind}`.execute(db)
  return rows
}

/** Writes resources as they were after a commit. */
export async function restoreResources(
  source: DatabaseReader,
  moment: DatabaseReader & DatabaseWriter,
  commit: number,
): Promise<void> {
  for (const kind of referencedKinds) {
    const resource = resourceOf(kind)
    const columns = columnsOf(resource)
    const insert = createInsertRows(moment, kind, columnNames(columns), 'refuse')
    const former = await readFormer(source, kind, commit)
    for (const piece of chunk(former, 100)) {
      const rows = piece
        .map((each) => each.former)
        .filter((json) => json !== null)
        .map((json) => JSON.parse(json) as Row)
      // An earlier version of Muster did not have all columns.
      const objects = rows.map((row) => ({
        ...defaultValues(resource),
        ...toObject(
          columns.filter(({ name }) => name in row),
          row,
        ),
      }))
      const ids = piece.map(({ id }) => id)
      await moment.commit([
        moment.db.deleteFrom(kind).where('id', 'in', ids).compile(),
        ...insert(objects.map((object) => toRow(columns, object))),
      ])
    }
  }
}
