import { sql } from 'kysely'
import type { CacheMemory } from '../../../domain/cache.ts'
import type { Owners } from '../../../domain/inventory/owners.ts'
import type { PageQuery, ServerFinder } from '../../../domain/inventory/ports.ts'
import { scopeIdOf, type ScopeOrNone } from '../../../domain/scope.ts'
import type { DatabaseReader, DatabaseVersions } from '../../database.ts'
import { createCountMatches } from './count-matches.ts'
import { createCountTags } from '../count-tags.ts'
import { createLoadDocuments } from './load-documents.ts'
import { createSelectiveLookup, readKeys } from './selective-lookup.ts'
import { createLoadById } from '../load-by-id.ts'
import { createNameLookups } from '../name-lookups.ts'
import { createIndexScan } from './index-scan.ts'
import { readsOwnerNames } from './reads-owner-names.ts'
import { createOrderTerms } from './order.ts'
import { createDefaultList, isDefaultList } from './default-list.ts'
import { createPlanner, defaultLimits, type Limits } from './query-planner.ts'
import { createQueryResults } from './query-results.ts'
import { createStatistics } from '../statistics.ts'

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
  const countMatches = createCountMatches(planner, terms)
  const scanIndex = createIndexScan(planner, terms)
  const findDefaultList = createDefaultList(database, planner, terms)
  const queryResults = createQueryResults(memory)
  const load = createLoadDocuments(database, memory)

  const versionOf = (scope: ScopeOrNone): number | undefined =>
    database.serversVersion(scopeIdOf(scope))

  /** The version for which a cached result is valid; undefined if it must not be cached. */
  function cacheVersionOf(query: PageQuery): string | undefined {
    const servers = versionOf(query.scope)
    if (servers === undefined) return undefined
    if (isDefaultList(query) || !readsOwnerNames(query)) return `${servers}`
    const identity = database.currentVersion()
    return identity === undefined ? undefined : `${servers} ${identity}`
  }

  async function find(query: PageQuery) {
    // Read before the data, so that a concurrent write invalidates the cached result.
    const version = cacheVersionOf(query)
    const isUncached = query.ignoresCache || (query.after && isDefaultList(query))
    let result = isUncached ? undefined : queryResults.find(query, version)
    if (!result) {
      const total = query.ignoresCache ? undefined : queryResults.total(query, version)
      const answer = await (isDefaultList(query) ? findDefaultList : findFiltered)(query, total)
      if ('page' in answer) {
        queryResults.rememberTotal(query, version, answer.page.total)
        return answer.page
      }
      ;({ result } = answer)
      queryResults.remember(query, version, result)
    }
    return query.after
      ? await selectiveLookup.pageAfter(result, await planner.plan(query), query)
      : selectiveLookup.pageOf(result, query)
  }

  /** Chooses the index lookup of any other query. */
  async function findFiltered(query: PageQuery, knownTotal: number | undefined) {
    const plan = await planner.plan(query)
    const few = await selectiveLookup.select(plan, query)
    if (few) return { result: few }
    const counted = knownTotal === undefined ? await countMatches(plan, query) : undefined
    if (counted?.result) return { result: counted.result }
    return await scanIndex(plan, query, knownTotal ?? counted?.total ?? 0)
  }

  return {
    version: versionOf,
    find,
    load,
    loadById: createLoadById(database, load),
    ...createNameLookups(database, planner),
    count: createStatistics(planner, owners),
    countTags: createCountTags(database, planner),

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
