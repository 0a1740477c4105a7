import { sql } from 'kysely'
import type { CacheMemory } from '../../domain/cache.ts'
import type { Owners } from '../../domain/inventory/owners.ts'
import type { PageQuery, ServerFinder } from '../../domain/inventory/ports.ts'
import { scopeIdOf, type ScopeOrNone } from '../../domain/scope.ts'
import type { DatabaseReader, DatabaseVersions, QueryPriority } from '../database.ts'
import { createDocuments } from './documents.ts'
import { createSelectiveLookup } from './selective-lookup.ts'
import { createLoadById } from './load-by-id.ts'
import { createFindByName } from './find-by-name.ts'
import { createIndexScan } from './index-scan.ts'
import { readsOwnerNames } from './reads-owner-names.ts'
import { createOrderTerms, readKeys } from './order.ts'
import { createPlanner, isEverything, defaultLimits, type Limits } from './plan.ts'
import { createSelections } from './selections.ts'
import { createStatistics } from './statistics.ts'
import { createFullScan } from './full-scan.ts'

/** The largest offset of a page that the serving thread reads itself. */
const maxQuickOffset = 2_000

const isPlainOrder = ({ order }: PageQuery) =>
  order.length === 1 && order[0]?.field === 'created_at'

/** Quick index reads run on the serving thread, all other queries in a reader thread. */
const priorityOf = (query: PageQuery): QueryPriority =>
  query.isStreamed !== true &&
  query.view === 'live' &&
  isEverything(query.where) &&
  isPlainOrder(query) &&
  query.offset <= maxQuickOffset
    ? 'quick'
    : query.requester

/** Finds servers and loads their documents. */
export function createServerFinder(
  database: DatabaseReader & DatabaseVersions,
  owners: Owners,
  memory: CacheMemory,
  limits: Limits = defaultLimits,
): ServerFinder {
  const terms = createOrderTerms(database.engine)
  const planner = createPlanner(database, owners, limits)
  const selectiveLookup = createSelectiveLookup(database, planner, terms)
  const fullScan = createFullScan(planner, terms)
  const scanIndex = createIndexScan(planner, terms)
  const selections = createSelections(memory)

  const versionOf = (scope: ScopeOrNone): number | undefined =>
    database.serversVersion(scopeIdOf(scope))

  /** The version for which a cached result is valid; undefined if it must not be cached. */
  function cacheVersionOf(query: PageQuery): string | undefined {
    const servers = versionOf(query.scope)
    if (servers === undefined) return undefined
    if (!readsOwnerNames(query)) return `${servers}`
    const identity = database.currentVersion()
    return identity === undefined ? undefined : `${servers} ${identity}`
  }

  async function find(query: PageQuery) {
    // Read before the data, so that a concurrent write invalidates the cached result.
    const version = cacheVersionOf(query)
    let selection = query.ignoresCache ? undefined : selections.find(query, version)
    if (!selection) {
      const priority = priorityOf(query)
      const plan = await planner.plan(query)
      let total = query.ignoresCache ? undefined : selections.total(query, version)
      selection = await selectiveLookup.select(plan, query, priority)
      if (!selection && total === undefined && fullScan.isNeeded(plan)) {
        ;({ total, selection } = await fullScan.run(plan, query))
      }
      if (!selection) {
        const page = await scanIndex(plan, query, total, priority)
        selections.rememberTotal(query, version, page.total)
        return page
      }
      selections.remember(query, version, selection)
    }
    return query.after
      ? await selectiveLookup.pageAfter(selection, await planner.plan(query), query)
      : selectiveLookup.pageOf(selection, query)
  }

  return {
    version: versionOf,
    find,
    load: createDocuments(database, memory),
    loadById: createLoadById(database),
    findByName: createFindByName(database, planner),
    count: createStatistics(planner, owners),

    async position({ seq, revision }, order) {
      const keys = planner.select(
        sql`id, ${terms.keys(order)}`,
        undefined,
        [sql`seq = ${seq}`, sql`revision = ${revision}`],
        terms.names(order),
      )
      const [rows] = await planner.run([keys], 'quick')
      const [row] = rows ?? []
      return row && { keys: readKeys(row, order), id: String(row['id']) }
    },
  }
}
