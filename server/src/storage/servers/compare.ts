import { sql } from 'kysely'
import type { Comparison, Value } from '../../domain/query/condition.ts'
import { fold } from '../../domain/query/fold.ts'
import type { DatabaseReader } from '../database.ts'
import type { Cell, StorageClass } from './field-columns.ts'
import {
  among,
  amongFoldedWords,
  amongWords,
  byCodePoint,
  everything,
  nothing,
  textFinder,
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

/** A column of servers, or of another resource. */
export interface ComparedColumn {
  readonly name: string
  readonly storageClass: StorageClass
  readonly isEnumerated: boolean
}

/** Builds the SQL condition that compares a column. */
export function createCompareColumn(engine: DatabaseReader['engine']) {
  const { compareText, compareValues } = createCompare(engine)

  function compareWords(
    { name, isEnumerated }: ComparedColumn,
    comparison: Comparison,
    values: readonly string[],
  ): Sql {
    const subject = sql.ref(name)
    const isAmong = isEnumerated ? amongFoldedWords : amongWords
    if (comparison === 'equals' || comparison === 'in') return isAmong(subject, values)
    if (comparison === 'notequals' || comparison === 'notin') {
      return sql`not ${isAmong(subject, values)}`
    }
    const condition = compareText(sql.ref('word'), sql.ref('folded'), comparison, values)
    return sql`${subject} in (select code from words where ${condition})`
  }

  return function compareColumn(
    column: ComparedColumn,
    comparison: Comparison,
    values: readonly Value[],
  ): Sql {
    const { name, storageClass, isEnumerated } = column
    const subject = sql.ref(name)
    const texts = values as readonly string[]
    const isFolded = isEnumerated && equalities.has(comparison)
    switch (storageClass) {
      case 'dictionary':
        return compareWords(column, comparison, texts)
      case 'lowercase':
        return compareText(subject, subject, comparison, isFolded ? texts.map(fold) : texts)
      case 'text': {
        const folded = sql`coalesce(${sql.ref(`${name}_folded`)}, ${subject})`
        return isFolded
          ? compareText(folded, folded, comparison, texts.map(fold))
          : compareText(subject, folded, comparison, texts)
      }
      case 'boolean':
      case 'number':
      case 'timestamp':
        return compareValues(subject, comparison, values.map(Number))
    }
  }
}
