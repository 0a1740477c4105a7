import { sql } from 'kysely'
import type { Condition } from '../../../domain/inventory/condition.ts'
import { enumerated } from '../../../domain/inventory/fields.ts'
import type { PageQuery } from '../../../domain/inventory/ports.ts'
import { isFacet, wholeFacet } from '../counts.ts'
import { toQueryResult } from './selective-lookup.ts'
import type { OrderTerms } from './order.ts'
import type { Plan, Planner } from './query-planner.ts'
import { isEverything, type QueryResult } from './query-results.ts'
import { allOf, amongFoldedWords, amongWords, type Sql } from '../../sql-parts.ts'

type FieldCondition = Extract<Condition, { kind: 'field' }>

const hasOnePart = (where: Condition) => where.kind !== 'all' || where.conditions.length === 1

/** The condition, if the query only filters one counted field by its values. */
function facetOf(where: Condition): FieldCondition | undefined {
  const only = where.kind === 'all' ? where.conditions[0] : where
  return hasOnePart(where) &&
    only?.kind === 'field' &&
    isFacet(only.field) &&
    (only.comparison === 'equals' || only.comparison === 'in')
    ? only
    : undefined
}

/** The stored counts of the matches by project, if there is no filter or one by a counted field. */
export function storedCounts({ query, isLive, scope }: Plan): Sql | undefined {
  const facet = facetOf(query.where)
  if (!isLive || (!facet && !isEverything(query.where))) return undefined
  const isAmong = facet && enumerated.has(facet.field) ? amongFoldedWords : amongWords
  const conditions = [
    sql`facet = ${facet?.field ?? wholeFacet}`,
    ...(facet ? [isAmong(sql.ref('value'), facet.values as readonly string[])] : []),
    ...(scope ? [scope.condition] : []),
  ]
  return sql`server_counts where ${allOf(conditions)}`
}

/** How many servers a query matches, and which, if they were found on the way. */
export interface Matches {
  readonly total: number
  readonly result?: QueryResult
}

/** Counts the servers that match a query with many matches on every index lookup. */
export function createCountMatches({ run, select, hint, limits }: Planner, terms: OrderTerms) {
  const { fewServers } = limits

  /** A count that reads no servers: from the stored counts or from one index. */
  function fastCount(plan: Plan): Sql | undefined {
    const { query, isLive, scope, indexLookups } = plan
    if (!isLive) return undefined
    const stored = plan.combinations ?? storedCounts(plan)
    if (stored) return sql`select coalesce(sum(servers), 0) as total from ${stored}`
    const [indexLookup] = indexLookups
    if (!indexLookup || !hasOnePart(query.where) || scope) return undefined
    return indexLookup.list === undefined
      ? select(sql`count(*) as total`, indexLookup.index, [sql`state = 0`, indexLookup.condition])
      : sql`select count(*) as total from (${indexLookup.list}) as listed`
  }

  /** One pass over all servers finds the matches if they are few. Otherwise a second one counts them. */
  function countAll({ scanConditions, scanIndexName }: Plan, { order }: PageQuery): Sql {
    const matches = sql`from servers${hint(scanIndexName)} where ${allOf(scanConditions)}`
    const found = sql`found as materialized (select seq ${matches} limit ${fewServers + 1})`
    const few = sql`few as (select count(*) as n from found)`
    const counted = sql`counted as materialized (select case when n <= ${fewServers} then n else (select count(*) ${matches}) end as total from few)`
    return sql`with ${found}, ${few}, ${counted} select total, seq, revision, ${terms.keys(order)} from counted left join servers on total <= ${fewServers} and seq in (select seq from found)${terms.names(order)} order by ${terms.orderBy(order)}`
  }

  return async function countMatches(plan: Plan, query: PageQuery): Promise<Matches> {
    const fast = fastCount(plan)
    const [rows = []] = await run([fast ?? countAll(plan, query)], query.requester)
    const total = Number(rows[0]?.['total'])
    if (fast || total > fewServers) return { total }
    const found = rows.filter(({ seq }) => seq !== null)
    return { total, result: toQueryResult(found, query.order.length === 1) }
  }
}
