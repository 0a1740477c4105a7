import { badField } from '../error.ts'
import { didYouMean } from '../nearest.ts'
import type { Comparison, Condition, Value } from './condition.ts'
import { anyOf, not, oneOf } from './conditions.ts'
import { fields, isField, type Field } from './fields.ts'
import { namedOneOf, placeNames } from './parameter-conditions.ts'
import { isDay, microsecondsADay } from './parse-timestamp.ts'
import { parseNetwork } from './parse-network.ts'
import { parseSize, sizeFields } from './parse-size.ts'
import { parseTag } from './parse-tag.ts'
import { parseValue } from './parse-value.ts'
import { scanQ, type QTerm, type QValue, type Sign } from './scan-q.ts'

/** What people say for short. */
const shortNames: Readonly<Record<string, string>> = {
  cores: 'vcpu_count',
  cpu: 'vcpu_count',
  created: 'created_at',
  domain: 'project_domain',
  expired: 'expired_at',
  expires: 'expired_at',
  gpu: 'is_gpu',
  mem: 'vmem_size',
  memory: 'vmem_size',
  os: 'os_type',
  tags: 'tag',
  type: 'instance_type',
  updated: 'updated_at',
  vcpu: 'vcpu_count',
}

const longestSearch = 256

const knownNames = [
  ...new Set([...Object.keys(fields), ...placeNames, ...Object.keys(shortNames), 'ip', 'tag']),
]

type Comparing = QTerm & { readonly kind: 'comparison' }

/** A complaint about a term, which says it again. */
const wrong = ({ text, at }: { text: string; at: number }, problem: string) =>
  badField('q', `has ${cite(text)} at character ${at + 1}, ${problem}`)

const cite = (word: string) => JSON.stringify(word.length > 64 ? `${word.slice(0, 64)}…` : word)

/** What is neither between the signs nor at one of them: a sign's comparison, of what has an order. */
const signComparisons: Readonly<Record<Exclude<Sign, ':' | '='>, Comparison>> = {
  '>=': 'ge',
  '<=': 'le',
  '>': 'gt',
  '<': 'lt',
}

function readValue(term: Comparing, field: Field, { text }: QValue): Value {
  const size = sizeFields.has(field) ? parseSize(text) : undefined
  if (size !== undefined) return size
  const parsed = parseValue(field, text)
  if ('value' in parsed) return parsed.value
  const wanted = sizeFields.has(field) ? 'a size in MB, or as 8G' : parsed.wanted
  throw wrong(term, `and ${cite(text)} must be ${wanted}`)
}

const fieldIs = (field: Field, comparison: Comparison, ...values: Value[]): Condition => ({
  kind: 'field',
  field,
  comparison,
  values,
})

/** Any moment of the day, not just its first. */
const withinDay = (field: Field, start: number): Condition => ({
  kind: 'all',
  conditions: [fieldIs(field, 'ge', start), fieldIs(field, 'lt', start + microsecondsADay)],
})

/** `field:value`, for any of the values. */
function equality(term: Comparing, field: Field): Condition {
  const kind = fields[field]
  const hasAny = ({ text, isQuoted }: QValue) => text === '*' && !isQuoted && canLack(kind)
  const anything = term.values.filter(hasAny).map(() => not(fieldIs(field, 'isnullorempty')))
  const rest = term.values.filter((value) => !hasAny(value))
  const days = kind === 'timestamp' ? rest.filter(({ text }) => isDay(text)) : []
  const exact = rest.filter((value) => !days.includes(value))
  return anyOf([
    ...anything,
    ...days.map((value) => withinDay(field, Number(readValue(term, field, value)))),
    ...(exact.length > 0
      ? [
          (kind === 'text' && namedOneOf(field, textsOf(exact))) ||
            oneOf(
              field,
              exact.map((value) => readValue(term, field, value)),
            ),
        ]
      : []),
  ])
}

const canLack = (kind: string) => kind === 'text' || kind === 'timestamp'

const textsOf = (values: readonly QValue[]) => values.map(({ text }) => text)

/** `field>=value`. A day counts whole: what is after it is after its last moment. */
function ordered(term: Comparing, field: Field, sign: keyof typeof signComparisons): Condition {
  const kind = fields[field]
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

/** What is compared in a way of its own. */
const special: Readonly<Record<string, (texts: readonly string[]) => Condition[]>> = {
  ip: (texts) => texts.map((text) => parseNetwork(text, 'q')),
  tag: (texts) => withKeys(texts).map((text) => parseTag(text, 'q')),
}

/** In `tag:env=prod,dev` the second value is of the first one's key. */
function withKeys(texts: readonly string[]): string[] {
  const [first = ''] = texts
  const end = first.indexOf('=')
  const key = first.slice(0, end + 1)
  return texts.map((text) => (end !== -1 && !text.includes('=') ? key + text : text))
}

function comparisonOf(term: Comparing): Condition {
  const { sign, values } = term
  const word = term.name.toLowerCase()
  const name = Object.hasOwn(shortNames, word) ? (shortNames[word] ?? word) : word
  const isEquality = sign === ':' || sign === '='
  const parse = Object.hasOwn(special, name) ? special[name] : undefined
  if (parse) {
    if (!isEquality) throw wrong(term, `but ${sign} is for numbers and times`)
    return anyOf(parse(values.map(({ text }) => text)))
  }
  if (!isField(name)) {
    throw wrong(
      term,
      `but ${cite(term.name)} is not a field (put it in quotes to search for it)${didYouMean(word, knownNames)}`,
    )
  }
  return isEquality ? equality(term, name) : ordered(term, name, sign)
}

function conditionOf(term: QTerm): Condition {
  if (term.kind === 'comparison') return comparisonOf(term)
  if (term.text.length > longestSearch) {
    throw wrong(term, `and searches for at most ${longestSearch} characters`)
  }
  return { kind: 'search', text: term.text }
}

/**
 * Reads a query as a person types it in one line: `status:running,ready vcpu>=8 -project:demo web-7`.
 * All parts must hold; a comma between values is "or", a leading `-` is "not". A word is a
 * comparison if it begins with a name (letters, digits and `_`, not a digit first) and a sign, and
 * does not look like an address; any other word, and whatever is in quotes, is searched for.
 */
export function parseQ(line: string): Condition[] {
  return scanQ(line)
    .filter((term) => term.kind === 'comparison' || term.text !== '')
    .map((term) => (term.isNegated ? not(conditionOf(term)) : conditionOf(term)))
}
