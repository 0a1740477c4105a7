import { createCache, type CacheMemory } from '../../../domain/cache.ts'
import { scopeIdOf } from '../../../domain/scope.ts'
import type { Condition } from '../../../domain/inventory/condition.ts'
import type { PageQuery } from '../../../domain/inventory/ports.ts'

export const isEverything = (condition: Condition) =>
  condition.kind === 'all' && condition.conditions.length === 0

/** All servers that match a query, in order: numbers, revisions and sort keys. */
export interface QueryResult {
  readonly seqs: Int32Array
  readonly revisions: Float64Array
  readonly keys: Float64Array | undefined
}

/** Caches query results by the version of the data. */
export function createQueryResults(memory: CacheMemory) {
  const results = createCache<string, string, QueryResult | number>(
    memory,
    'query_results',
    (result) => (typeof result === 'number' ? 0 : result.seqs.length * 20),
  )

  const totalKeyOf = ({ scope, state, where }: PageQuery) =>
    `${scope.kind} ${scopeIdOf(scope)} ${state} ${isEverything(where) ? '' : JSON.stringify(where)}`
  const keyOf = (query: PageQuery) =>
    query.order.reduce(
      (key, { field, descending }) => `${key} ${field}${descending ? '-' : '+'}`,
      totalKeyOf(query),
    )

  return {
    find: (query: PageQuery, version: string | undefined) =>
      results.get(keyOf(query), version) as QueryResult | undefined,
    remember: (query: PageQuery, version: string | undefined, result: QueryResult) =>
      results.set(keyOf(query), version, result),
    total: (query: PageQuery, version: string | undefined) =>
      results.get(totalKeyOf(query), version) as number | undefined,
    rememberTotal: (query: PageQuery, version: string | undefined, total: number) =>
      results.set(totalKeyOf(query), version, total),
  }
}
