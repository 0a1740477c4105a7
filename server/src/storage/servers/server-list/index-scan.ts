import { sql } from 'kysely'
import type { FoundPage, PageQuery } from '../../../domain/inventory/ports.ts'
import type { Row } from '../../database.ts'
import { toPage } from './selective-lookup.ts'
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

  return async function scanIndex(plan: Plan, query: PageQuery, total: number): Promise<FoundPage> {
    const { order, limit, offset, after, requester } = query
    const columns = sql`seq, revision, ${terms.keys(order)}`
    const names = terms.names(order)
    const read = async (statement: Sql): Promise<readonly Row[]> => {
      const page = sql`${statement} limit ${limit + 1} offset ${offset}`
      return (await run([page], requester))[0] ?? []
    }
    const servers = firstInOrder(plan, query)
    if (servers) {
      // SQLite keeps the order of the subquery. To sort again, it would read all of it first.
      const rows = await read(
        sql`select ${columns} from ${servers}${names} where ${allOf(plan.conditions)}`,
      )
      if (rows.length > limit || offset + rows.length === total) return toPage(rows, query, total)
    }
    const beyond = after ? [terms.after(order, after)] : []
    const conditions = engine === 'postgres' ? plan.conditions : plan.scanConditions
    const all = select(columns, indexFor(plan, query), [...conditions, ...beyond], names)
    return toPage(await read(sql`${all} order by ${terms.orderBy(order)}`), query, total)
  }
}
