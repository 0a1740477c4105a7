import { sql } from 'kysely'
import type {
  ResourceFinder,
  ResourceObject,
  ResourceQuery,
} from '../../domain/inventory/resource-finder.ts'
import {
  resourceKinds,
  resourceOf,
  type ResourceKind,
} from '../../domain/inventory/resource-kinds.ts'
import type { Condition } from '../../domain/query/condition.ts'
import type { Order } from '../../domain/query/list-query.ts'
import type { SortKey } from '../../domain/query/marker.ts'
import type { QueryFields } from '../../domain/query/query-fields.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { createCompareColumn } from '../servers/compare.ts'
import { allOf, anyOf, byCodePoint, type Sql } from '../servers/sql-parts.ts'
import { after, orderBy, type SortTerm } from '../sort-terms.ts'
import { columnsOf, toObject, type ResourceColumn } from './columns.ts'
import { countServers, visibleIn } from './naming-servers.ts'

type Selection = Pick<ResourceQuery, 'kind' | 'scope' | 'requester'>

/** Finds hosts, networks, regions, zones and managers, with their numbers of servers. */
export function createResourceFinder(database: DatabaseReader): ResourceFinder {
  const { engine, db } = database
  const compareColumn = createCompareColumn(engine)

  function column(columns: readonly ResourceColumn[], field: string): ResourceColumn {
    const found = columns.find(({ name }) => name === field)
    if (!found) throw new Error(`${field} has no column`)
    return found
  }

  function whereOf(
    columns: readonly ResourceColumn[],
    { searched }: QueryFields<string>,
    condition: Condition<string>,
  ): Sql {
    const where = (part: Condition<string>): Sql => {
      switch (part.kind) {
        case 'field':
          return compareColumn(column(columns, part.field), part.comparison, part.values)
        case 'search':
          return anyOf(
            searched.map((field) => compareColumn(column(columns, field), 'contains', [part.text])),
          )
        case 'all':
          return allOf(part.conditions.map(where))
        case 'any':
          return anyOf(part.conditions.map(where))
        case 'not':
          // NULL never matches a filter, so it always matches the negated one.
          return sql`not coalesce(${where(part.condition)}, false)`
      }
    }
    return where(condition)
  }

  function sortTerms(
    columns: readonly ResourceColumn[],
    order: readonly Order<string>[],
  ): readonly SortTerm[] {
    const term = ({ field, descending }: Order<string>): SortTerm => {
      const { name, storageClass } = column(columns, field)
      const subject = sql.ref(name)
      return {
        subject: storageClass === 'text' ? byCodePoint(engine, subject) : subject,
        descending,
        mayBeNull: storageClass === 'timestamp',
      }
    }
    const last = order.at(-1)
    const own = order.map(term)
    if (last?.field === 'id') return own
    return [...own, term({ field: 'id', descending: last?.descending ?? true })]
  }

  const run = (queries: readonly Sql[], { requester }: Selection) =>
    database.run(
      queries.map((query) => query.compile(db)),
      requester,
    )

  async function toObjects(
    selection: Selection,
    columns: readonly ResourceColumn[],
    rows: readonly Row[],
  ): Promise<readonly ResourceObject[]> {
    if (rows.length === 0) return []
    const { kind, scope } = selection
    const objects = rows.map((row) => toObject(columns, row))
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

  const selectFrom = (kind: ResourceKind, columns: readonly ResourceColumn[], where: Sql) =>
    sql`select ${sql.join(columns.map(({ name }) => sql.ref(name)))} from ${sql.table(kind)} where ${where}`

  return {
    async list(query) {
      const { kind, order, limit, offset } = query
      const columns = columnsOf(resourceOf(kind))
      const terms = sortTerms(columns, order)
      const where = allOf([
        visibleIn(kind, query.scope),
        whereOf(columns, query.fields, query.where),
      ])
      const rest = query.after ? allOf([where, after(terms, query.after)]) : where
      const [counted = [], rows = []] = await run(
        [
          sql`select count(*) as total from ${sql.table(kind)} where ${where}`,
          sql`${selectFrom(kind, columns, rest)} order by ${orderBy(terms)} limit ${limit + 1} offset ${offset}`,
        ],
        query,
      )
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      return {
        items: await toObjects(query, columns, page),
        total: Number(counted[0]?.['total']),
        next: last && {
          keys: order.map(({ field }) => last[field] as SortKey),
          id: String(last['id']),
        },
      }
    },

    async find(selection, idOrName, limit) {
      const { kind, scope } = selection
      const columns = columnsOf(resourceOf(kind))
      const visible = visibleIn(kind, scope)
      const by = (field: string) =>
        sql`${selectFrom(kind, columns, allOf([sql`${sql.ref(field)} = ${idOrName}`, visible]))} order by id limit ${limit}`
      const [byId = [], byName = []] = await run([by('id'), by('name')], selection)
      return await toObjects(selection, columns, byId.length > 0 ? byId : byName)
    },
  }
}
