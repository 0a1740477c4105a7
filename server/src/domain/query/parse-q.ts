import { badField } from '../error.ts'
import { didYouMean } from '../nearest.ts'
import type { Comparison, Condition, FieldCondition, OtherCondition, Value } from './condition.ts'
import { anyOf, not, oneOf } from './conditions.ts'
import { isDay, microsecondsADay } from './parse-timestamp.ts'
import { parseValue } from './parse-value.ts'
import { isField, type QueryFields } from './query-fields.ts'
import { scanQ, type QTerm, type QValue, type Sign } from './scan-q.ts'

const units: Readonly<Record<string, number>> = { M: 1, G: 1024, T: 1024 * 1024 }

const form = /^(\d{1,9}(?:\.\d{1,3})?)([MGT])(?:i?B)?$/i

/** A size with its unit, as `8G` or `1.5TiB`, in MB. Undefined for anything else. */
function parseSize(text: string): number | undefined {
  const [, amount, unit = ''] = form.exec(text) ?? []
  if (amount === undefined) return undefined
  return Math.round(Number(amount) * (units[unit.toUpperCase()] ?? 1))
}

const longestSearch = 256

type Comparing = QTerm & { readonly kind: 'comparison' }

/** An error about a term, which quotes it. */
const wrong = ({ text, at }: { text: string; at: number }, problem: string) =>
  badField('q', `has ${cite(text)} at character ${at + 1}, ${problem}`)

const cite = (word: string) => JSON.stringify(word.length > 64 ? `${word.slice(0, 64)}…` : word)

/** The comparisons of numbers and times. */
const signComparisons: Readonly<Record<Exclude<Sign, ':' | '='>, Comparison>> = {
  '>=': 'ge',
  '<=': 'le',
  '>': 'gt',
  '<': 'lt',
}

const fieldIs = <Field extends string>(
  field: Field,
  comparison: Comparison,
  ...values: Value[]
): FieldCondition<Field> => ({ kind: 'field', field, comparison, values })

/** Matches any time of the day, not only its start. */
const withinDay = <Field extends string>(field: Field, start: number): Condition<Field> => ({
  kind: 'all',
  conditions: [fieldIs(field, 'ge', start), fieldIs(field, 'lt', start + microsecondsADay)],
})

/** `8..16`, `8..` or `..16`, as its two ends. Quotes protect the dots. */
function parseRange({ text, isQuoted }: QValue): readonly [from: string, to: string] | undefined {
  const at = isQuoted || text === '..' ? -1 : text.indexOf('..')
  return at === -1 ? undefined : [text.slice(0, at), text.slice(at + 2)]
}

const canLack = (kind: string) => kind === 'text' || kind === 'timestamp'

const textsOf = (values: readonly QValue[]) => values.map(({ text }) => text)

/** Parses the terms of a query of one resource. */
function createTermParser<Field extends string, Other extends OtherCondition>(
  fields: QueryFields<Field, Other>,
) {
  const { kinds, shortNames, sizes, special } = fields
  const knownNames = () => [
    ...Object.keys(kinds),
    ...Object.keys(shortNames),
    ...Object.keys(special),
  ]

  function readValue(term: Comparing, field: Field, { text }: QValue): Value {
    const size = sizes.has(field) ? parseSize(text) : undefined
    if (size !== undefined) return size
    const parsed = parseValue(kinds[field], text)
    if ('value' in parsed) return parsed.value
    const wanted = sizes.has(field) ? 'a size in MB, or as 8G' : parsed.wanted
    throw wrong(term, `and ${cite(text)} must be ${wanted}`)
  }

  /** `field:value`, for any of the values. */
  function equality(term: Comparing, field: Field): Condition<Field, Other> {
    const kind = kinds[field]
    const hasAny = ({ text, isQuoted }: QValue) => text === '*' && !isQuoted && canLack(kind)
    const anything = term.values.filter(hasAny).map(() => not(fieldIs(field, 'isnullorempty')))
    const rest = term.values.filter((value) => !hasAny(value))
    const days = kind === 'timestamp' ? rest.filter(({ text }) => isDay(text)) : []
    const isOrdered = kind === 'number' || kind === 'timestamp'
    const ranges = isOrdered ? rest.filter((value) => parseRange(value)) : []
    const exact = rest.filter((value) => !days.includes(value) && !ranges.includes(value))
    const named = kind === 'text' ? fields.named(field, textsOf(exact)) : undefined
    const valued = () =>
      oneOf(
        field,
        exact.map((value) => readValue(term, field, value)),
      )
    return anyOf([
      ...anything,
      ...ranges.map((value) => rangeOf(term, field, value)),
      ...days.map((value) => withinDay(field, Number(readValue(term, field, value)))),
      ...(exact.length > 0 ? [named ?? valued()] : []),
    ])
  }

  /** `field:from..to`, with both ends. An end that is missing does not limit. */
  function rangeOf(term: Comparing, field: Field, value: QValue): Condition<Field> {
    const [from = '', to = ''] = parseRange(value) ?? []
    const end = (sign: '>=' | '<=', text: string) =>
      text === '' ? [] : [ordered({ ...term, values: [{ text, isQuoted: false }] }, field, sign)]
    return { kind: 'all', conditions: [...end('>=', from), ...end('<=', to)] }
  }

  /** `field>=value`. A date means the whole day: later than a day is later than its end. */
  function ordered(
    term: Comparing,
    field: Field,
    sign: keyof typeof signComparisons,
  ): Condition<Field> {
    const kind = kinds[field]
    const [first, ...more] = term.values
    if (kind !== 'number' && kind !== 'timestamp') {
      throw wrong(term, `but ${sign} is for numbers and times`)
    }
    if (!first || more.length > 0) throw wrong(term, `but ${sign} takes one value`)
    const value = readValue(term, field, first)
    if (kind === 'timestamp' && isDay(first.text)) {
      const nextDay = Number(value) + microsecondsADay
      if (sign === '>') return fieldIs(field, 'ge', nextDay)
      if (sign === '<=') return fieldIs(field, 'lt', nextDay)
    }
    return fieldIs(field, signComparisons[sign], value)
  }

  function comparisonOf(term: Comparing): Condition<Field, Other> {
    const { sign, values } = term
    const word = term.name.toLowerCase()
    const name = Object.hasOwn(shortNames, word) ? (shortNames[word] ?? word) : word
    const isEquality = sign === ':' || sign === '='
    const parse = Object.hasOwn(special, name) ? special[name] : undefined
    if (parse) {
      if (!isEquality) throw wrong(term, `but ${sign} is for numbers and times`)
      return anyOf(parse(textsOf(values)))
    }
    if (!isField(fields, name)) {
      throw wrong(
        term,
        `but ${cite(term.name)} is not a field (put it in quotes to search for it)${didYouMean(word, knownNames())}`,
      )
    }
    return isEquality ? equality(term, name) : ordered(term, name, sign)
  }

  return function conditionOf(term: QTerm): Condition<Field, Other> {
    if (term.kind === 'comparison') return comparisonOf(term)
    if (term.text.length > longestSearch) {
      throw wrong(term, `and searches for at most ${longestSearch} characters`)
    }
    return { kind: 'search', text: term.text }
  }
}

/**
 * Reads a query as a person types it in one line: `status:running,ready vcpu>=8 -project:demo web-7`. All
 * parts must match. A comma between values means "or", a leading `-` means "not". A word is a comparison if
 * it begins with a name (letters, digits and `_`, not a digit first) and a sign, and does not look like an
 * address; any other word, and whatever is in quotes, is searched for.
 */
export function parseQ<Field extends string, Other extends OtherCondition>(
  fields: QueryFields<Field, Other>,
  line: string,
): Condition<Field, Other>[] {
  const conditionOf = createTermParser(fields)
  return scanQ(line)
    .filter((term) => term.kind === 'comparison' || term.text !== '')
    .map((term) => (term.isNegated ? not(conditionOf(term)) : conditionOf(term)))
}
