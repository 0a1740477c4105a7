import type { ServerComparison } from '@muster/contract'
import { describeValue, isIdentifierOf, labelOf, type ChangeWords } from './describe-changes.ts'

/** A field of several servers, in words. */
export interface ComparedField {
  readonly key: string
  readonly label: string
  /** Undefined for servers that have no value. */
  readonly values: readonly (string | undefined)[]
  readonly differs: boolean
}

/** The fields that at least one server has. Identifiers of what another field names are left out. */
export function describeComparison(
  fields: ServerComparison['fields'],
  words: ChangeWords,
): readonly ComparedField[] {
  const present = new Set(fields.map(({ field }) => field))
  return fields
    .filter(({ field }) => !isIdentifierOf(field, present))
    .map(({ field, values, differs }) => ({
      key: field,
      label: labelOf(field, words.messages),
      values: values.map((value) => describeValue(field, value, words)),
      differs,
    }))
    .filter(({ values }) => values.some((value) => value !== undefined))
}
