import { sql, type RawBuilder } from 'kysely'
import type { DatabaseReader } from './database.ts'
import { fold } from '../domain/query/fold.ts'

/** An SQL fragment. Names come from constants, and values are always bound parameters. */
export type Sql = RawBuilder<unknown>

/** A value of a column. */
export type Cell = string | number | null

export const nothing = sql`1 = 0`
export const everything = sql`1 = 1`

const join = (parts: readonly Sql[], word: 'and' | 'or'): Sql =>
  sql`(${sql.join(parts, sql.raw(` ${word} `))})`

export const allOf = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? everything : join(parts, 'and')
export const anyOf = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? nothing : join(parts, 'or')

/** The code of a word, or a code that no word has. */
export const codeOf = (word: string): Sql =>
  sql`coalesce((select code from words where word = ${word}), -1)`

/** `in` a list of values. A single value is compared with `=`, which is faster. */
export const among = (subject: Sql, values: readonly unknown[]): Sql => {
  if (values.length === 0) return nothing
  const [first] = values
  return values.length === 1 ? sql`${subject} = ${first}` : sql`${subject} in (${sql.join(values)})`
}

/** `in` a list of words, whose codes are looked up together. */
export const amongWords = (subject: Sql, words: readonly string[]): Sql => {
  const [first] = words
  if (first === undefined) return nothing
  return words.length === 1
    ? sql`${subject} = ${codeOf(first)}`
    : sql`${subject} in (select code from words where word in (${sql.join(words)}))`
}

/** The longest text in the index of folded words. */
export const longestFolded = 64

/** `in` a list of words, ignoring case. Several spellings of a word may exist. */
export const amongFoldedWords = (subject: Sql, words: readonly string[]): Sql =>
  words.length === 0
    ? nothing
    : sql`${subject} in (select code from words where folded in (${sql.join(words.map(fold))}) and length(folded) <= ${sql.lit(longestFolded)})`

/** `in` a list of any length, such as all projects. It is bound as one parameter. */
export const amongManyWords = (
  engine: DatabaseReader['engine'],
  subject: Sql,
  words: readonly string[],
): Sql => {
  const list = JSON.stringify(words)
  return engine === 'postgres'
    ? sql`${subject} in (select code from words where word in (select json_array_elements_text(${list}::json)))`
    : sql`${subject} in (select code from words where word in (select value from json_each(${list})))`
}

/** Compares text by code point on both engines, whatever the collation of the database is. */
export const byCodePoint = (engine: DatabaseReader['engine'], subject: Sql): Sql =>
  engine === 'postgres' ? sql`${subject} collate "C"` : subject

/** The SQL function that returns the position of a text in another one. */
export const textFinder = (engine: DatabaseReader['engine']): Sql =>
  sql.raw(engine === 'postgres' ? 'strpos' : 'instr')
