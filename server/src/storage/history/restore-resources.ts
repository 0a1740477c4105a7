import { defaultValues } from '@muster/contract'
import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import { referencedKinds, resourceOf, type ReferencedKind } from '../../domain/inventory/kinds.ts'
import { background } from '../../domain/inventory/ports.ts'
import type { DatabaseReader, DatabaseWriter, Row } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { columnNames, columnsOf, toObject, toRow } from '../resources/columns.ts'
import type { CommitRange } from './write-moment.ts'

/**
 * The resources that changed in a range, each with its row after a commit: what the first change after the commit
 * replaced, or else the current row. Undefined for those that did not exist.
 */
async function readRows(
  { db, run }: DatabaseReader,
  kind: ReferencedKind,
  commit: number,
  { after, until }: CommitRange,
): Promise<Map<string, Row | undefined>> {
  const changed = sql`select distinct id from resource_changes
    inner join change_commits on change_commits.revision = resource_changes.revision
    where kind = ${kind} and position > ${after} and position <= ${until}`
  const former = sql`select changed.id, former from resource_changes as changed
    inner join change_commits on change_commits.revision = changed.revision
    inner join (select id, min(position) as position from resource_changes
      inner join change_commits on change_commits.revision = resource_changes.revision
      where kind = ${kind} and position > ${commit} group by id) as first
      on first.id = changed.id and first.position = change_commits.position
    where changed.kind = ${kind}`
  const current = sql`select * from ${sql.table(kind)} where id in (${changed})`
  // All are of one snapshot: otherwise a change could be missing.
  const queries = [changed, current, former].map((query) => query.compile(db))
  const [ids = [], rows = [], replaced = []] = await run(queries, background)
  const found = new Map<string, Row | undefined>()
  for (const { id } of ids) found.set(id as string, undefined)
  for (const row of rows) found.set(row['id'] as string, row)
  for (const { id, former: json } of replaced) {
    if (found.has(id as string)) {
      found.set(id as string, json === null ? undefined : (JSON.parse(json as string) as Row))
    }
  }
  return found
}

/** Writes resources that changed in a range as they were after a commit. */
export async function restoreResources(
  source: DatabaseReader,
  moment: DatabaseReader & DatabaseWriter,
  commit: number,
  range: CommitRange,
): Promise<void> {
  for (const kind of referencedKinds) {
    const resource = resourceOf(kind)
    const columns = columnsOf(resource)
    const insert = createInsertRows(moment, kind, columnNames(columns), 'refuse')
    for (const piece of chunk(await readRows(source, kind, commit, range), 100)) {
      // An earlier version of Muster did not have all columns.
      const objects = piece
        .map(([, row]) => row)
        .filter((row) => row !== undefined)
        .map((row) => ({
          ...defaultValues(resource),
          ...toObject(
            columns.filter(({ name }) => name in row),
            row,
          ),
        }))
      const ids = piece.map(([id]) => id)
      await moment.commit([
        moment.db.deleteFrom(kind).where('id', 'in', ids).compile(),
        ...insert(objects.map((object) => toRow(columns, object))),
      ])
    }
  }
}
