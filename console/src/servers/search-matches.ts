import { readTerms } from '../filter/terms.ts'
import type { ColumnName } from './columns.ts'
import type { Row } from './row.ts'
import { tagsOf } from './tags.ts'

/** The texts of a query that may be in any of several fields, in lower case. */
export const searchWords = (q: string): readonly string[] =>
  readTerms(q)
    .filter(({ name, isNegated }) => name === undefined && !isNegated)
    .map(({ raw }) => raw.replaceAll('"', '').toLowerCase())
    .filter((word) => word !== '')

/** The fields that such texts are searched in. */
export const searchedFields = [
  'ips',
  'description',
  'host',
  'external_id',
  'id',
  'metadata',
] as const

/** Where a text was found: a field, or a tag. */
export interface Match {
  readonly column: Exclude<(typeof searchedFields)[number], 'metadata'> | 'tags'
  readonly text: string
}

function* searchedTexts(row: Row): Generator<Match> {
  for (const column of searchedFields) {
    if (column !== 'metadata') yield { column, text: row[column] ?? '' }
  }
  for (const origin of ['own', 'source'] as const) {
    for (const { key, value } of tagsOf(row.metadata ?? {}, origin)) {
      yield { column: 'tags', text: `${key}=${value}` }
    }
  }
}

/** Why a row matches, if its visible columns do not show it. */
export function hiddenMatch(
  row: Row,
  words: readonly string[],
  columns: readonly ColumnName[],
): Match | undefined {
  const texts = [...searchedTexts(row)]
  const has = ({ text }: Pick<Match, 'text'>, word: string) => text.toLowerCase().includes(word)
  const isVisible = ({ column }: Match) => columns.includes(column)
  for (const word of words) {
    const isShown =
      has({ text: row.name ?? '' }, word) ||
      texts.some((text) => isVisible(text) && has(text, word))
    const match = isShown ? undefined : texts.find((text) => has(text, word))
    if (match) return match
  }
  return undefined
}
