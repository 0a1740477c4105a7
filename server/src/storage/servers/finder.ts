import { sql } from 'kysely'
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

let lastNamesVersion = 0
const namesVersions = new WeakMap<object, number>()

/** A version number per map of owner names. */
function namesVersionOf(names: object): number {
  const version = namesVersions.get(names) ?? (lastNamesVersion += 1)
  namesVersions.set(names, version)
  return version
}

/** Finds servers and loads their documents. */
export function createServerFinder(
  database: DatabaseReader & DatabaseVersions,
  owners: Owners,
  limits: Limits = defaultLimits,
): ServerFinder {
  const terms = createOrderTerms(database.engine)
  const planner = createPlanner(database, owners, limits)
  const selectiveLookup = createSelectiveLookup(database, planner, terms)
  const fullScan = createFullScan(planner, terms)
  const scanIndex = createIndexScan(planner, terms)
  const selections = createSelections()

  const versionOf = (scope: ScopeOrNone): number | undefined =>
    database.serversVersion(scopeIdOf(scope))

  /** The version for which a cached result is valid; undefined if it must not be cached. */
  async function cacheVersionOf(query: PageQuery): Promise<string | undefined> {
    const fleet = versionOf(query.scope)
    if (fleet === undefined) return undefined
    return readsOwnerNames(query)
      ? `${fleet} ${namesVersionOf(await owners.byProject())}`
      : `${fleet}`
  }

  async function find(query: PageQuery) {
    // Read before the data, so that a concurrent write invalidates the cached result.
    const version = await cacheVersionOf(query)
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
    load: createDocuments(database),
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
