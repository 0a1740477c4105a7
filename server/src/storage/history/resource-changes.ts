import { sql } from 'kysely'
import { resourceOf, type ReferencedKind } from '../../domain/inventory/kinds.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { columnNames, columnsOf } from '../resources/columns.ts'
import type { Sql } from '../sql-parts.ts'

/** Records the rows of resources before a commit writes or deletes them. */
export function createFormerResources({ engine, db }: Pick<DatabaseReader, 'engine' | 'db'>) {
  const isPostgres = engine === 'postgres'

  function toJson(kind: ReferencedKind): Sql {
    if (isPostgres) return sql`row_to_json(stored)::text`
    const names = columnNames(columnsOf(resourceOf(kind)))
    return sql`json_object(${sql.join(names.flatMap((name) => [sql.lit(name), sql.ref(`stored.${name}`)]))})`
  }

  const listed = (ids: readonly string[]): Sql => {
    const json = JSON.stringify(ids.map((id) => id.toWellFormed()))
    return isPostgres
      ? sql`select value as id from json_array_elements_text(${json}::json)`
      : sql`select value as id from json_each(${json})`
  }

  /** A resource that is not stored yet has no row before. */
  function recordFormer(kind: ReferencedKind, wanted: Sql, revision: number): Statement {
    const former = sql`(select ${toJson(kind)} from ${sql.table(kind)} as stored where stored.id = wanted.id)`
    return sql`insert into resource_changes (revision, kind, id, former)
      select ${sql.lit(revision)}, ${sql.lit(kind)}, wanted.id, ${former} from (${wanted}) as wanted
      where true on conflict do nothing`.compile(db)
  }

  return {
    ofIds: (kind: ReferencedKind, ids: readonly string[], revision: number): readonly Statement[] =>
      ids.length === 0 ? [] : [recordFormer(kind, listed(ids), revision)],
    ofSelected: recordFormer,
  }
}
