import { sql } from 'kysely'
import type { Comparison } from '../domain/query/condition.ts'
import { fold } from '../domain/query/fold.ts'
import type { DatabaseReader } from './database.ts'
import {
  among,
  byCodePoint,
  everything,
  nothing,
  textFinder,
  type Cell,
  type Sql,
} from './sql-parts.ts'

type Folding = 'like' | 'contains' | 'startswith' | 'endswith'
type Absence = 'isnull' | 'isnotnull' | 'isempty' | 'isnotempty' | 'isnullorempty'
type Ordinary = Exclude<Comparison, Folding | Absence>

const foldings: ReadonlySet<string> = new Set<Folding>([
  'like',
  'contains',
  'startswith',
  'endswith',
])
const isFolding = (comparison: Comparison): comparison is Folding => foldings.has(comparison)

/** Comparisons that ignore the case of enumerated values. */
export const equalities: ReadonlySet<Comparison> = new Set(['equals', 'in', 'notequals', 'notin'])

const isOther = (subject: Sql, values: readonly Cell[]) =>
  sql`(${subject} is null or not ${among(subject, values)})`

/** Comparisons with values of the same type. */
const ordinary: Readonly<Record<Ordinary, (subject: Sql, values: readonly Cell[]) => Sql>> = {
  in: among,
  equals: among,
  notin: isOther,
  notequals: isOther,
  between: (subject, [first, last]) => sql`${subject} between ${first} and ${last}`,
  ge: (subject, [value]) => sql`${subject} >= ${value}`,
  gt: (subject, [value]) => sql`${subject} > ${value}`,
  le: (subject, [value]) => sql`${subject} <= ${value}`,
  lt: (subject, [value]) => sql`${subject} < ${value}`,
}

/** Text is never NULL: a missing text is empty. */
const textAbsences: Readonly<Record<Absence, (subject: Sql) => Sql>> = {
  isnull: () => nothing,
  isnotnull: () => everything,
  isempty: (subject) => sql`${subject} = ''`,
  isnullorempty: (subject) => sql`${subject} = ''`,
  isnotempty: (subject) => sql`${subject} <> ''`,
}

/** Other values are never empty, and only timestamps can be NULL. */
const valueAbsences: Readonly<Record<Absence, (subject: Sql) => Sql>> = {
  isnull: (subject) => sql`${subject} is null`,
  isnotnull: (subject) => sql`${subject} is not null`,
  isempty: () => nothing,
  isnullorempty: (subject) => sql`${subject} is null`,
  isnotempty: (subject) => sql`${subject} is not null`,
}

const isAbsence = (comparison: Comparison): comparison is Absence =>
  Object.hasOwn(textAbsences, comparison)

/** Builds SQL conditions that compare expressions. */
export function createCompare(engine: DatabaseReader['engine']) {
  const find = textFinder(engine)

  /** Case-insensitive comparisons of a folded text. */
  const foldingBy: Readonly<Record<Folding, (subject: Sql, text: string) => Sql>> = {
    contains: (subject, text) => sql`${find}(${subject}, ${text}) > 0`,
    startswith: (subject, text) => sql`${find}(${subject}, ${text}) = 1`,
    endswith: (subject, text) =>
      engine === 'postgres'
        ? sql`right(${subject}, length(${text})) = ${text}`
        : sql`substr(${subject}, -length(${text})) = ${text}`,
    like: (subject, text) => sql`${subject} like ${text.replaceAll('\\', '\\\\')} escape '\\'`,
  }

  function compareFolded(subject: Sql, comparison: Folding, text: string): Sql {
    if (text === '') return comparison === 'like' ? sql`${subject} = ''` : everything
    return foldingBy[comparison](subject, text)
  }

  /** Compares a text that is also available folded. `foldValue` folds values in the same way. */
  function compareText(
    plain: Sql,
    folded: Sql,
    comparison: Comparison,
    values: readonly string[],
    foldValue = fold,
  ): Sql {
    if (isAbsence(comparison)) return textAbsences[comparison](plain)
    if (isFolding(comparison)) return compareFolded(folded, comparison, foldValue(values[0] ?? ''))
    return ordinary[comparison](byCodePoint(engine, plain), values)
  }

  function compareValues(subject: Sql, comparison: Comparison, values: readonly Cell[]): Sql {
    if (isAbsence(comparison)) return valueAbsences[comparison](subject)
    if (isFolding(comparison)) throw new Error(`${comparison} is a comparison of text`)
    return ordinary[comparison](subject, values)
  }

  return { compareText, compareValues }
}
