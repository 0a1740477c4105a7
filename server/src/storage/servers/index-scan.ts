import { sql } from 'kysely'
import type { Condition } from '../../domain/inventory/condition.ts'
import { enumerated } from '../../domain/inventory/fields.ts'
import type { FoundPage, PageQuery } from '../../domain/inventory/ports.ts'
import { isFacet, wholeFacet } from './counts.ts'
import { toPage } from './selective-lookup.ts'
import { coveredColumns, isSorted, sortIndex } from './indexes.ts'
import type { OrderTerms } from './order.ts'
import type { Plan, Planner } from './plan.ts'
import { isEverything } from './selections.ts'
import { amongFoldedWords, amongWords, type Sql } from './sql-parts.ts'

type FieldCondition = Extract<Condition, { kind: 'field' }>

/** The condition, if the query only filters one counted field by its values. */
function facetOf(where: Condition): FieldCondition | undefined {
  const only = where.kind === 'all' ? where.conditions[0] : where
  return only?.kind === 'field' &&
    isFacet(only.field) &&
    (only.comparison === 'equals' || only.comparison === 'in')
    ? only
    : undefined
}

/** Queries that match many servers: a page is read by an index scan in order, the rest is counted. */
export function createIndexScan({ run, select }: Planner, terms: OrderTerms) {
  /** The index to scan: one with the sort order, otherwise one that covers all columns. */
  function indexToScan({ query, isLive, isCovered, scope }: Plan, { order }: PageQuery) {
    const [first] = order
    if (!isLive || !first) return undefined
    if (order.length === 1 && isSorted(first.field)) {
      const hasOwnIndex = isEverything(query.where) && scope && first.field === 'created_at'
      return hasOwnIndex ? scope.index : sortIndex(first.field)
    }
    const isSeen = terms.columns(order).every((column) => coveredColumns.has(column))
    return isCovered && isSeen ? sortIndex('created_at') : undefined
  }

  function countQuery(plan: Plan): Sql {
    const { query, isLive, scope, accessPaths, scanConditions, scanIndexName } = plan
    const [accessPath] = accessPaths
    const hasOnePart = query.where.kind !== 'all' || query.where.conditions.length === 1
    if (isLive && isEverything(query.where)) {
      const within = scope ? sql` and ${scope.condition}` : sql``
      return sql`select coalesce(sum(servers), 0) as n from server_counts where facet = ${wholeFacet}${within}`
    }
    const facet = hasOnePart ? facetOf(query.where) : undefined
    if (isLive && facet) {
      const isAmong = enumerated.has(facet.field) ? amongFoldedWords : amongWords
      const within = scope ? sql` and ${scope.condition}` : sql``
      return sql`select coalesce(sum(servers), 0) as n from server_counts where facet = ${facet.field} and ${isAmong(sql.ref('value'), facet.values as readonly string[])}${within}`
    }
    if (accessPath && hasOnePart && !scope) {
      return accessPath.list === undefined
        ? select(sql`count(*) as n`, accessPath.index, [sql`state = 0`, accessPath.condition])
        : sql`select count(*) as n from (${accessPath.list}) as listed`
    }
    return select(sql`count(*) as n`, scanIndexName, scanConditions)
  }

  return async function scanIndex(
    plan: Plan,
    query: PageQuery,
    knownTotal: number | undefined,
  ): Promise<FoundPage> {
    const { order, limit, offset, after } = query
    const columns = sql`seq, revision, ${terms.keys(order)}`
    const beyond = after ? [terms.after(order, after)] : []
    const conditions = [...plan.conditions, ...beyond]
    const rest = select(columns, indexToScan(plan, query), conditions, terms.names(order))
    const page = sql`${rest} order by ${terms.orderBy(order)} limit ${limit + 1} offset ${offset}`
    const [rows = [], counted] = await run(
      knownTotal === undefined ? [page, countQuery(plan)] : [page],
      query.requester,
    )
    return toPage(rows, query, knownTotal ?? Number(counted?.[0]?.['n'] ?? 0))
  }
}
