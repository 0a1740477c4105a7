import { sql } from 'kysely'
import type { Field } from '../../domain/inventory/condition.ts'
import {
  resourceOf,
  type InventoryKind,
  type ReferencedKind,
} from '../../domain/inventory/kinds.ts'
import type {
  ResourceFinder,
  ResourceObject,
  VisibleResources,
} from '../../domain/inventory/resource-finder.ts'
import { fold } from '../../domain/query/fold.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { createListRows, type SqlField } from '../list-rows.ts'
import { columnOf, storageClassOf, type OwnerField } from '../servers/field-columns.ts'
import { allOf, byCodePoint, type Sql } from '../sql-parts.ts'
import { readColumnsOf, toObject, type ReadColumn } from './columns.ts'
import { countServers, visibleIn } from './referring-servers.ts'

/** A text and its folded form in the row of the parent. */
function parentText(field: string): readonly [value: Sql, folded: Sql] {
  const name = columnOf(field as Exclude<Field, OwnerField>)
  const column = sql.ref(`servers.${name}`)
  const word = (form: string) => sql`(select ${sql.ref(form)} from words where code = ${column})`
  switch (storageClassOf(name)) {
    case 'dictionary':
      return [word('word'), word('folded')]
    case 'text':
      return [column, sql`coalesce(${sql.ref(`servers.${name}_folded`)}, ${column})`]
    case 'lowercase':
    case 'number':
    case 'boolean':
    case 'timestamp':
      return [column, column]
  }
}

/** Numbers, booleans and timestamps have no folded column, and no comparison reads it. */
function sqlFieldOf(
  kind: InventoryKind,
  { name, storageClass, isEnumerated, ofServer }: ReadColumn,
): SqlField {
  const own = sql.ref(`${kind}.${name}`)
  const [value, subject] =
    ofServer === undefined
      ? [own, sql`coalesce(${sql.ref(`${kind}.${name}_folded`)}, ${own})`]
      : parentText(ofServer)
  const folded = { subject, fold }
  return { kind: storageClass, value, folded, ...(isEnumerated && { equality: folded }) }
}

/** How SQL reads a resource. */
function describeSource(kind: InventoryKind) {
  const resource = resourceOf(kind)
  const { visibility } = resource
  const columns = readColumnsOf(resource)
  const fields = Object.fromEntries(
    columns.map((column) => [column.name, sqlFieldOf(kind, column)]),
  )
  const table = sql.table(kind)
  return {
    columns: sql.join(
      Object.entries(fields).map(([name, { value }]) => sql`${value} as ${sql.ref(name)}`),
    ),
    // PostgreSQL leaves the join out where no column of the parent is read, such as in counts. SQLite does not.
    from:
      visibility.through === 'parent'
        ? sql`${table} left join servers on servers.seq = ${sql.ref(`${kind}.server`)}`
        : table,
    fields,
    toItem: (row: Row) => toObject(columns, row),
  }
}

/** Finds the resources of the inventory besides servers. */
export function createResourceFinder(database: DatabaseReader): ResourceFinder {
  const { engine, db } = database
  const listRows = createListRows(database)

  const run = (queries: readonly Sql[], { requester }: VisibleResources) =>
    database.run(
      queries.map((query) => query.compile(db)),
      requester,
    )

  /** With their numbers of servers, if servers refer to them. */
  async function withCounts(
    visible: VisibleResources,
    objects: readonly ResourceObject[],
  ): Promise<readonly ResourceObject[]> {
    const { kind, scope } = visible
    const { visibility } = resourceOf(kind)
    if (objects.length === 0 || visibility.through !== 'servers') return objects
    const ids = objects.map(({ id }) => id)
    const [counted = []] = await run([countServers(kind as ReferencedKind, scope, ids)], visible)
    const servers = new Map(counted.map((row) => [row['id'], Number(row['servers'])]))
    return objects.map((object) => ({ ...object, [visibility.count]: servers.get(object.id) ?? 0 }))
  }

  return {
    async list(visible, { searched }, query) {
      const { kind, scope, requester } = visible
      const { visibility } = resourceOf(kind)
      const { toItem, ...described } = describeSource(kind)
      const source = {
        ...described,
        conditions: [visibleIn(kind, scope)],
        searched,
        // Visibility may read many servers.
        indexed: 'none' as const,
        id: byCodePoint(engine, sql.ref(`${kind}.id`)),
      }
      const options = { requester, descending: true }
      // Several servers can share an item, which then has a row for each of them.
      const descending = query.order.at(-1)?.descending ?? true
      const ties = visibility.through === 'parent' ? [{ field: visibility.field, descending }] : []
      const sorted = { ...query, order: [...query.order, ...ties] }
      const { items, ...page } = await listRows(source, sorted, toItem, options)
      return { ...page, items: await withCounts(visible, items) }
    },

    async find(visible, idOrName, limit) {
      const { kind, scope } = visible
      const { columns, from, toItem } = describeSource(kind)
      const by = (field: string, most: number) => {
        const where = allOf([
          sql`${sql.ref(`${kind}.${field}`)} = ${idOrName}`,
          visibleIn(kind, scope),
        ])
        return sql`select ${columns} from ${from} where ${where} order by ${sql.ref(`${kind}.id`)} limit ${most}`
      }
      const [byId = [], byName = []] = await run([by('id', 1), by('name', limit)], visible)
      const found = byId.length > 0 ? byId : byName
      return await withCounts(visible, found.map(toItem))
    },
  }
}
