import { sql } from 'kysely'
import type { Comparison, Value } from '../../../domain/query/condition.ts'
import { fold } from '../../../domain/query/fold.ts'
import { createCompare, equalities } from '../../compare.ts'
import type { DatabaseReader } from '../../database.ts'
import { amongFoldedWords, amongWords, type Sql } from '../../sql-parts.ts'
import type { StorageClass } from '../field-columns.ts'

/** A column of servers. */
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
