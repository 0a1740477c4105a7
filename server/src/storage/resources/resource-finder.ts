import { sql } from 'kysely'
import type {
  ResourceFinder,
  ResourceObject,
  ResourceSelection,
} from '../../domain/inventory/resource-finder.ts'
import {
  resourceKinds,
  resourceOf,
  type ResourceKind,
} from '../../domain/inventory/resource-kinds.ts'
import { fold } from '../../domain/query/fold.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { createListRows, type SqlField } from '../list-rows.ts'
import { allOf, byCodePoint, type Sql } from '../sql-parts.ts'
import { columnsOf, toObject, type ResourceColumn } from './columns.ts'
import { countServers, visibleIn } from './naming-servers.ts'

/** Numbers, booleans and timestamps have no folded column, and no comparison reads it. */
function sqlFieldOf({ name, storageClass, isEnumerated }: ResourceColumn): SqlField {
  const value = sql.ref(name)
  const folded = { subject: sql`coalesce(${sql.ref(`${name}_folded`)}, ${value})`, fold }
  return { kind: storageClass, value, folded, ...(isEnumerated && { equality: folded }) }
}

/** Finds hosts, networks, regions, zones and managers, with their numbers of servers. */
export function createResourceFinder(database: DatabaseReader): ResourceFinder {
  const { engine, db } = database
  const listRows = createListRows(database)

  const run = (queries: readonly Sql[], { requester }: ResourceSelection) =>
    database.run(
      queries.map((query) => query.compile(db)),
      requester,
    )

  async function withCounts(
    selection: ResourceSelection,
    objects: readonly ResourceObject[],
  ): Promise<readonly ResourceObject[]> {
    if (objects.length === 0) return []
    const { kind, scope } = selection
    const counts = countServers(
      kind,
      scope,
      objects.map(({ id }) => id),
    )
    const [counted = []] = await run([counts], selection)
    const servers = new Map(counted.map((row) => [row['id'], Number(row['servers'])]))
    return objects.map((object) => ({
      ...object,
      [resourceKinds[kind].count]: servers.get(object.id) ?? 0,
    }))
  }

  const namesOf = (columns: readonly ResourceColumn[]) =>
    sql.join(columns.map(({ name }) => sql.ref(name)))

  const selectFrom = (kind: ResourceKind, columns: readonly ResourceColumn[], where: Sql) =>
    sql`select ${namesOf(columns)} from ${sql.table(kind)} where ${where}`

  return {
    async list(selection, { searched }, query) {
      const { kind, scope, requester } = selection
      const columns = columnsOf(resourceOf(kind))
      const source = {
        columns: namesOf(columns),
        from: sql.table(kind),
        conditions: [visibleIn(kind, scope)],
        fields: Object.fromEntries(columns.map((column) => [column.name, sqlFieldOf(column)])),
        searched,
        // Visibility may read many servers.
        indexed: 'none' as const,
        id: byCodePoint(engine, sql.ref('id')),
      }
      const toItem = (row: Row) => toObject(columns, row)
      const options = { requester, descending: true }
      const { items, ...page } = await listRows(source, query, toItem, options)
      return { ...page, items: await withCounts(selection, items) }
    },

    async find(selection, idOrName, limit) {
      const { kind, scope } = selection
      const columns = columnsOf(resourceOf(kind))
      const visible = visibleIn(kind, scope)
      const by = (field: string) =>
        sql`${selectFrom(kind, columns, allOf([sql`${sql.ref(field)} = ${idOrName}`, visible]))} order by id limit ${limit}`
      const [byId = [], byName = []] = await run([by('id'), by('name')], selection)
      const found = byId.length > 0 ? byId : byName
      return await withCounts(
        selection,
        found.map((row) => toObject(columns, row)),
      )
    },
  }
}
