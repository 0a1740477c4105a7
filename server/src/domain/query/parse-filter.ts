import { badField } from '../error.ts'
import { didYouMean } from '../nearest.ts'
import {
  comparisons,
  type Comparison,
  type FieldCondition,
  type OtherCondition,
} from './condition.ts'
import { textComparisons } from './conditions.ts'
import { parseValue } from './parse-value.ts'
import { isField, type FieldKind, type QueryFields } from './query-fields.ts'
import { scanQuoted } from './scan-quoted.ts'

const ordering = new Set<Comparison>(['between', 'ge', 'gt', 'le', 'lt'])

/** How many values a comparison takes, at least and at most. */
const arity: Readonly<Record<Comparison, readonly [number, number]>> = {
  in: [1, Infinity],
  notin: [1, Infinity],
  between: [2, 2],
  ge: [1, 1],
  gt: [1, 1],
  le: [1, 1],
  lt: [1, 1],
  like: [1, 1],
  contains: [1, 1],
  startswith: [1, 1],
  endswith: [1, 1],
  equals: [1, 1],
  notequals: [1, 1],
  isnull: [0, 0],
  isnotnull: [0, 0],
  isempty: [0, 0],
  isnotempty: [0, 0],
  isnullorempty: [0, 0],
}

const isComparison = (name: string): name is Comparison => Object.hasOwn(arity, name)

/** Quotes a word of the caller, shortened. */
const cite = (word: string) => JSON.stringify(word.length > 64 ? `${word.slice(0, 64)}…` : word)

/** Fields that depend on the caller are treated as unknown. */
function readField<Field extends string, Other extends OtherCondition>(
  fields: QueryFields<Field, Other>,
  name: string,
  path: string,
): Field {
  if (isField(fields, name)) return name
  throw badField(
    path,
    `has ${cite(name)}, which is not a field to filter by${didYouMean(name, Object.keys(fields.kinds))}`,
  )
}

function readComparison(name: string, field: string, kind: FieldKind, path: string): Comparison {
  if (!isComparison(name)) {
    throw badField(
      path,
      `has ${cite(name)}, which is not a comparison${didYouMean(name, comparisons)}`,
    )
  }
  if (kind !== 'text' && textComparisons.has(name)) {
    throw badField(
      path,
      `uses ${name} on ${field}, which is a ${kind}. ${name} works only on text.`,
    )
  }
  if (kind === 'boolean' && ordering.has(name)) {
    throw badField(path, `uses ${name} on ${field}, which is a boolean`)
  }
  return name
}

/** Parses values separated by commas, with or without quotes. Blanks around them are removed. */
function scanValues(text: string, path: string): string[] {
  const values: string[] = []
  let at = 0
  const skipBlanks = () => {
    while (text[at] === ' ') at += 1
  }
  skipBlanks()
  if (at === text.length) return values
  for (;;) {
    skipBlanks()
    const quoted = scanQuoted(text, at)
    if (quoted === 'open') throw badField(path, 'has an unclosed quote')
    if (quoted) {
      values.push(quoted.text)
      at = quoted.end
      skipBlanks()
    } else {
      const comma = text.indexOf(',', at)
      const end = comma === -1 ? text.length : comma
      const value = text.slice(at, end).trimEnd()
      if (value === '') throw badField(path, "has a missing value. Write an empty value as ''.")
      values.push(value)
      at = end
    }
    if (at === text.length) return values
    if (text[at] !== ',') throw badField(path, `needs a comma before ${cite(text.slice(at))}`)
    at += 1
  }
}

function requireCount(comparison: Comparison, count: number, path: string): void {
  const [least, most] = arity[comparison]
  if (count >= least && count <= most) return
  const wanted = least === most ? String(least) : `at least ${least}`
  throw badField(path, `has ${count} values for ${comparison}, which takes ${wanted}`)
}

/** Text, in pieces: `field.comparison(values)`. */
const form = /^\s*([A-Za-z0-9_]{1,64})\.([A-Za-z]{1,32})\((.*)\)\s*$/s

/** Reads `field.comparison(values)`, as in `status.in('running', 'ready')`. */
export function parseFilter<Field extends string, Other extends OtherCondition>(
  fields: QueryFields<Field, Other>,
  text: string,
  path = 'filter',
): FieldCondition<Field> {
  const [, name, operator, inner] = form.exec(text) ?? []
  if (name === undefined || operator === undefined || inner === undefined) {
    throw badField(
      path,
      "must have the form field.comparison(values), such as name.contains('web')",
    )
  }
  const field = readField(fields, name, path)
  const kind = fields.kinds[field]
  const comparison = readComparison(operator, field, kind, path)
  const texts = scanValues(inner, path)
  requireCount(comparison, texts.length, path)
  const values = texts.map((value) => {
    const parsed = parseValue(kind, value)
    if ('wanted' in parsed) {
      throw badField(path, `compares ${field} with ${cite(value)}, which must be ${parsed.wanted}`)
    }
    return parsed.value
  })
  return { kind: 'field', field, comparison, values }
}
