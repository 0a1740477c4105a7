import { LRUCache } from 'lru-cache'
import { scopeIdOf } from '../../domain/scope.ts'
import type { PageQuery } from '../../domain/inventory/ports.ts'
import { isEverything } from './plan.ts'

/** All servers that match a query, in order: numbers, revisions and sort keys. */
export interface Selection {
  readonly seqs: Int32Array
  readonly revisions: Float64Array
  readonly keys: Float64Array | undefined
}

interface Cached<Value> {
  readonly version: string
  readonly value: Value
}

/** Sizes include the cache keys. */
const maxSelectionBytes = 48 * 2 ** 20
const maxTotalBytes = 8 * 2 ** 20

/** Caches query results by the version of the data. A newer version is a cache miss. */
export function createSelections() {
  const selections = new LRUCache<string, Cached<Selection>>({
    maxSize: maxSelectionBytes,
    sizeCalculation: ({ value }, key) => value.seqs.length * 20 + key.length * 2 + 200,
  })
  const totals = new LRUCache<string, Cached<number>>({
    maxSize: maxTotalBytes,
    sizeCalculation: (_, key) => key.length * 2 + 200,
  })

  const totalKeyOf = ({ scope, view, where }: PageQuery) => {
    return `${scope.kind} ${scopeIdOf(scope)} ${view} ${isEverything(where) ? '' : JSON.stringify(where)}`
  }
  const keyOf = (query: PageQuery) =>
    query.order.reduce(
      (key, { field, descending }) => `${key} ${field}${descending ? '-' : '+'}`,
      totalKeyOf(query),
    )

  const fresh = <Value>(entry: Cached<Value> | undefined, version: string | undefined) =>
    entry !== undefined && entry.version === version ? entry.value : undefined

  return {
    find: (query: PageQuery, version: string | undefined) =>
      fresh(selections.get(keyOf(query)), version),
    remember(query: PageQuery, version: string | undefined, value: Selection): void {
      if (version !== undefined) selections.set(keyOf(query), { version, value })
    },
    total: (query: PageQuery, version: string | undefined) =>
      fresh(totals.get(totalKeyOf(query)), version),
    rememberTotal(query: PageQuery, version: string | undefined, value: number): void {
      if (version !== undefined) totals.set(totalKeyOf(query), { version, value })
    },
  }
}
