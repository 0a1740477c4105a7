import type { ServerComparison } from '@muster/contract'
import {
  describeValue,
  hasLabel,
  isIdentifierOf,
  itemList,
  labelOf,
  type ChangeWords,
} from './describe-changes.ts'
import { compareItems } from './describe-items.ts'

type Value = string | undefined

/** A field of several servers, in words. */
export interface ComparedField {
  readonly key: string
  readonly label: string
  /** Undefined for servers that have no value. */
  readonly values: readonly Value[]
  readonly differs: boolean
}

/** Several fields can have one label, such as the two of graphics. */
const join = (one: Value, other: Value): Value =>
  [...new Set([one, other])].filter((text) => text !== undefined).join(' · ') || undefined

/**
 * The fields that at least one server has, under the labels of the server page. What repeats other fields, such as
 * identifiers and versions, has no label and is left out.
 */
export function describeComparison(
  fields: ServerComparison['fields'],
  words: ChangeWords,
): readonly ComparedField[] {
  const present = new Set(fields.map(({ field }) => field))
  const inWords = (field: string, value: unknown) => describeValue(field, value, words)
  const described = fields.flatMap(({ field, values }) => {
    const list = itemList(field, words.messages)
    if (list) return compareItems(field, values, list, inWords)
    if (!hasLabel(field) || isIdentifierOf(field, present)) return []
    const label = labelOf(field, words.messages)
    return [{ key: field, label, values: values.map((value) => inWords(field, value)) }]
  })
  const byLabel = Map.groupBy(described, ({ label }) => label)
  return [...byLabel].flatMap(([label, same]) => {
    const [first] = same
    if (!first) return []
    const values = first.values.map((_, at) =>
      same.map((each) => each.values[at]).reduce(join, undefined),
    )
    const isEmpty = values.every((value) => value === undefined)
    return isEmpty ? [] : [{ key: first.key, label, values, differs: new Set(values).size > 1 }]
  })
}
