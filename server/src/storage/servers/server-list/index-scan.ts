import { sql } from 'kysely'
import type { PageQuery } from '../../../domain/inventory/ports.ts'
import type { Row } from '../../database.ts'
import { toPage, toQueryResult } from './selective-lookup.ts'
import { coveredColumns, coveringIndex, isSorted, sortIndex } from '../indexes.ts'
import type { OrderTerms } from './order.ts'
import type { Plan, Planner } from './query-planner.ts'
import { isEverything } from './query-results.ts'
import { allOf, type Sql } from '../../sql-parts.ts'

/** Reads a page of a query that matches many servers. */
export function createIndexScan({ engine, run, select, limits }: Planner, terms: OrderTerms) {
  /** The index for the page: one with the sort order, otherwise the one that covers all columns. */
  function indexFor({ query, isLive, isCovered, scope }: Plan, { order }: PageQuery) {
    const [first] = order
    if (!isLive || !first) return undefined
    if (isEverything(query.where) && order.length === 1 && isSorted(first.field)) {
      if (!scope) return sortIndex(first.field)
      if (first.field === 'created_at') return scope.index
    }
    const isSeen = terms.columns(order).every((column) => coveredColumns.has(column))
    return isCovered && isSeen ? coveringIndex : undefined
  }

  /**
   * The first servers of a sort index, as many as may be looked up. Undefined if the page is read
   * without looking up servers that do not match, or if the engine decides that itself.
   */
  function firstInOrder(plan: Plan, query: PageQuery): Sql | undefined {
    const { order, limit, offset, after } = query
    const [first] = order
    if (engine === 'postgres' || !plan.isLive || order.length > 1) return undefined
    if (!first || !isSorted(first.field)) return undefined
    const isCreation = first.field === 'created_at'
    const isExact = isEverything(plan.query.where) && (!plan.scope || isCreation)
    if (isExact || (isCreation && plan.isCovered && !plan.usesSideTables)) return undefined
    const index = sortIndex(first.field)
    const conditions = [
      sql`state = 0`,
      ...(after ? [terms.after(order, after)] : []),
      ...plan.indexLookups.filter((path) => path.index === index).map(({ condition }) => condition),
    ]
    const servers = select(sql`*`, index, conditions)
    // A larger page is worth more lookups.
    const most = limits.mostLookups + 10 * (offset + limit)
    return sql`(${servers} order by ${terms.orderBy(order)} limit ${most}) as servers`
  }

  return async function scanIndex(plan: Plan, query: PageQuery, total: number) {
    const { order, limit, offset, after, requester } = query
    if (offset >= total) return { page: toPage([], query, total) }
    const columns = sql`seq, revision, ${terms.keys(order)}`
    const names = terms.names(order)
    const read = async (statement: Sql): Promise<readonly Row[]> =>
      (await run([statement], requester))[0] ?? []
    const page = sql`limit ${limit + 1} offset ${offset}`
    const servers = firstInOrder(plan, query)
    if (servers) {
      // SQLite keeps the order of the subquery. To sort again, it would read all of it first.
      const rows = await read(
        sql`select ${columns} from ${servers}${names} where ${allOf(plan.conditions)} ${page}`,
      )
      if (rows.length > limit || offset + rows.length === total)
        return { page: toPage(rows, query, total) }
    }
    const conditions = engine === 'postgres' ? plan.conditions : plan.scanConditions
    const selectAll = (beyond: readonly Sql[]) =>
      sql`${select(columns, indexFor(plan, query), [...conditions, ...beyond], names)} order by ${terms.orderBy(order)}`
    // Few servers are found only by reading all of them. The other pages are then slices of the result.
    if (total <= limits.fewServers && (servers || offset > 0 || after))
      return { result: toQueryResult(await read(selectAll([])), order.length === 1) }
    const rest = selectAll(after ? [terms.after(order, after)] : [])
    return { page: toPage(await read(sql`${rest} ${page}`), query, total) }
  }
}
