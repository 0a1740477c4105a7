import { sql } from 'kysely'
import type { SortKey } from '../../../domain/query/marker.ts'
import type { Found, FoundPage, PageQuery } from '../../../domain/inventory/ports.ts'
import type { DatabaseReader, Row } from '../../database.ts'
import type { OrderTerms } from './order.ts'
import type { Plan, Planner } from './query-planner.ts'
import type { QueryResult } from './query-results.ts'
import { allOf, type Sql } from '../../sql-parts.ts'

export const toQueryResult = (rows: readonly Row[], hasOneKey: boolean): QueryResult => ({
  seqs: Int32Array.from(rows, ({ seq }) => Number(seq)),
  revisions: Float64Array.from(rows, ({ revision }) => Number(revision)),
  keys:
    hasOneKey && rows.every(({ key0 }) => typeof key0 === 'number')
      ? Float64Array.from(rows, ({ key0 }) => key0 as number)
      : undefined,
})

/** Queries that match few servers: all of them are read once, and pages are slices of the result. */
export function createSelectiveLookup(
  { engine }: Pick<DatabaseReader, 'engine'>,
  planner: Planner,
  terms: OrderTerms,
) {
  const { run, select, findSelectiveLookup } = planner

  async function selectOrdered(
    conditions: readonly Sql[],
    index: string | undefined,
    { order, requester }: PageQuery,
  ): Promise<QueryResult> {
    const columns = sql`seq, revision, ${terms.keys(order)}`
    const all = select(columns, index, conditions, terms.names(order))
    const [rows = []] = await run([sql`${all} order by ${terms.orderBy(order)}`], requester)
    return toQueryResult(rows, order.length === 1)
  }

  return {
    /** Undefined if no index lookup leads to few servers. */
    async select(plan: Plan, query: PageQuery): Promise<QueryResult | undefined> {
      const lookup = await findSelectiveLookup(plan)
      return (
        lookup && (await selectOrdered([...plan.conditions, lookup.condition], lookup.index, query))
      )
    },

    pageOf({ seqs, revisions, keys }: QueryResult, { limit, offset }: PageQuery): FoundPage {
      const end = Math.min(seqs.length, offset + limit)
      const found: Found[] = []
      for (let at = offset; at < end; at += 1) {
        const key = keys?.[at]
        found.push({
          seq: seqs[at] ?? 0,
          revision: revisions[at] ?? 0,
          ...(key !== undefined && { keys: [key] }),
        })
      }
      return { total: seqs.length, found, hasMore: end < seqs.length && limit > 0 }
    },

    /**
     * The page after a position. The server at the position may no longer exist. Servers that have
     * changed since the result was cached and no longer match are left out.
     */
    async pageAfter({ seqs }: QueryResult, plan: Plan, query: PageQuery): Promise<FoundPage> {
      const { order, limit, after } = query
      const numbers = JSON.stringify([...seqs])
      const among =
        engine === 'postgres'
          ? sql`seq in (select value::integer from json_array_elements_text(${numbers}::json))`
          : sql`seq in (select value from json_each(${numbers}))`
      const beyond = after ? [terms.after(order, after)] : []
      const conditions = [among, ...plan.conditions, ...beyond]
      const columns = sql`seq, revision, ${terms.keys(order)}`
      const rest = select(columns, undefined, [allOf(conditions)], terms.names(order))
      const [rows = []] = await run(
        [sql`${rest} order by ${terms.orderBy(order)} limit ${limit + 1}`],
        query.requester,
      )
      return toPage(rows, query, seqs.length)
    },
  }
}

export const readKeys = (row: Row, order: readonly PageQuery['order'][number][]): SortKey[] =>
  order.map((_, at) => row[`key${at}`] as SortKey)

/** A page from its rows and one more, which tells whether there is a next page. */
export const toPage = (
  rows: readonly Row[],
  { order, limit }: PageQuery,
  total: number,
): FoundPage => ({
  total,
  found: rows.slice(0, limit).map((row) => ({
    seq: Number(row['seq']),
    revision: Number(row['revision']),
    keys: readKeys(row, order),
  })),
  hasMore: rows.length > limit,
})
