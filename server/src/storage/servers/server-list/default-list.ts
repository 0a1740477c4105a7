import type { Level } from '@muster/contract'
import { sql } from 'kysely'
import { scopeIdOf, type ScopeOrNone } from '../../../domain/scope.ts'
import type { FoundPage, PageQuery } from '../../../domain/inventory/ports.ts'
import type { Order } from '../../../domain/inventory/server-list/server-query.ts'
import type { DatabaseReader, Query } from '../../database.ts'
import { createStatementTemplate } from '../../statement-template.ts'
import { wholeFacet } from '../counts.ts'
import { coveringIndex } from '../indexes.ts'
import type { OrderTerms } from './order.ts'
import type { Planner } from './query-planner.ts'
import { toPage, toQueryResult } from './selective-lookup.ts'
import { isEverything, type QueryResult } from './query-results.ts'

/** The largest offset of a page that the serving thread reads itself. */
const maxOffset = 2_000

/** Whether a query is for the default list: servers in use without a filter, in the default order, near the start. */
export const isDefaultList = ({ state, where, order, offset, isStreamed }: PageQuery): boolean =>
  isStreamed !== true &&
  state === 'live' &&
  isEverything(where) &&
  order.length === 1 &&
  order[0]?.field === 'created_at' &&
  offset <= maxOffset

/** What differs between the statements of one kind. */
interface Values {
  readonly scope: string
  readonly limit: number
  readonly offset: number
  readonly key: unknown
  readonly id: string
}
const names = ['scope', 'limit', 'offset', 'key', 'id'] as const

/**
 * Reads pages of the default list, which are most requests. Their statements are built once, and they are fast enough
 * for the serving thread.
 */
export function createDefaultList(database: DatabaseReader, planner: Planner, terms: OrderTerms) {
  const { db, run } = database
  const { fewServers } = planner.limits

  const scopeOf = (kind: Level, id: string): ScopeOrNone => {
    if (kind === 'system') return { kind }
    return kind === 'domain' ? { kind, domainId: id } : { kind, projectId: id, domainId: '' }
  }

  const template = (build: (values: Values) => ReturnType<Planner['select']>) =>
    createStatementTemplate<Values>(names, (values) => build(values).compile(db))

  const countOf = (kind: Level) =>
    template(({ scope }) => {
      const within = planner.withinScope(scopeOf(kind, scope))
      const condition = within ? sql` and ${within.condition}` : sql``
      return sql`select coalesce(sum(servers), 0) as n from server_counts where facet = ${wholeFacet}${condition}`
    })

  const pagesOf = (kind: Level, descending: boolean, isAfter: boolean) =>
    template(({ scope, limit, offset, key, id }) => {
      const order: Order[] = [{ field: 'created_at', descending }]
      const within = planner.withinScope(scopeOf(kind, scope))
      const servers = planner.select(
        sql`seq, revision, ${terms.keys(order)}`,
        within ? within.index : coveringIndex,
        [
          sql`state = 0`,
          ...(within ? [within.condition] : []),
          ...(isAfter ? [terms.after(order, { keys: [key as number], id })] : []),
        ],
      )
      return sql`${servers} order by ${terms.orderBy(order)} limit ${limit} offset ${offset}`
    })

  const statementsOf = (kind: Level) => ({
    count: countOf(kind),
    desc: { first: pagesOf(kind, true, false), after: pagesOf(kind, true, true) },
    asc: { first: pagesOf(kind, false, false), after: pagesOf(kind, false, true) },
  })
  const statements = {
    system: statementsOf('system'),
    domain: statementsOf('domain'),
    project: statementsOf('project'),
  }

  /** One page, or all servers of a small scope that was requested before. */
  return async function findDefaultList(
    query: PageQuery,
    knownTotal: number | undefined,
  ): Promise<{ readonly result: QueryResult } | { readonly page: FoundPage }> {
    const { scope, order, limit, offset, after } = query
    if (scope.kind === 'none') return { page: { total: 0, found: [], hasMore: false } }
    const { count, ...pages } = statements[scope.kind]
    const page = pages[order[0]?.descending ? 'desc' : 'asc']
    const values = { scope: scopeIdOf(scope) ?? '', limit, offset, key: 0, id: '' }
    const read = async (...queries: Query[]) => await run(queries, 'quick')

    // Only for the second request: many scopes are requested once, or once after each change.
    if (!after && scope.kind !== 'system' && knownTotal !== undefined && knownTotal <= fewServers) {
      const wanted = { ...values, limit: fewServers + 1, offset: 0 }
      const [rows = []] = await read(page.first(wanted))
      // Servers may have been added since they were counted.
      if (rows.length <= fewServers) return { result: toQueryResult(rows, true) }
    }
    const wanted = { ...values, limit: limit + 1, key: after?.keys[0], id: after?.id ?? '' }
    const [rows = [], counted] = await read(
      page[after ? 'after' : 'first'](wanted),
      ...(knownTotal === undefined ? [count(values)] : []),
    )
    return { page: toPage(rows, query, knownTotal ?? Number(counted?.[0]?.['n'])) }
  }
}
