import { LRUCache } from 'lru-cache'
import { scopeIdOf } from '../../domain/scope.ts'
import type { PageQuestion } from '../../domain/inventory/ports.ts'
import { isEverything } from './plan.ts'

/** All servers that a question finds, in order: their numbers, what they were like, and what they were sorted by. */
export interface Selection {
  readonly seqs: Int32Array
  readonly revisions: Float64Array
  readonly keys: Float64Array | undefined
}

interface Remembered<Value> {
  readonly version: string
  readonly value: Value
}

/** In bytes, with what they are found by. */
const keptSelections = 48 * 2 ** 20
const keptTotals = 8 * 2 ** 20

/** What questions found at a version of what they asked about. A later version asks anew. */
export function createSelections() {
  const selections = new LRUCache<string, Remembered<Selection>>({
    maxSize: keptSelections,
    sizeCalculation: ({ value }, key) => value.seqs.length * 20 + key.length * 2 + 200,
  })
  const totals = new LRUCache<string, Remembered<number>>({
    maxSize: keptTotals,
    sizeCalculation: (_, key) => key.length * 2 + 200,
  })

  const totalKeyOf = ({ scope, view, where }: PageQuestion) => {
    return `${scope.kind} ${scopeIdOf(scope)} ${view} ${isEverything(where) ? '' : JSON.stringify(where)}`
  }
  const keyOf = (question: PageQuestion) =>
    question.order.reduce(
      (key, { field, descending }) => `${key} ${field}${descending ? '-' : '+'}`,
      totalKeyOf(question),
    )

  const fresh = <Value>(entry: Remembered<Value> | undefined, version: string | undefined) =>
    entry !== undefined && entry.version === version ? entry.value : undefined

  return {
    find: (question: PageQuestion, version: string | undefined) =>
      fresh(selections.get(keyOf(question)), version),
    remember(question: PageQuestion, version: string | undefined, value: Selection): void {
      if (version !== undefined) selections.set(keyOf(question), { version, value })
    },
    total: (question: PageQuestion, version: string | undefined) =>
      fresh(totals.get(totalKeyOf(question)), version),
    rememberTotal(question: PageQuestion, version: string | undefined, value: number): void {
      if (version !== undefined) totals.set(totalKeyOf(question), { version, value })
    },
  }
}
