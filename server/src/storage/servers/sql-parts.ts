import { sql, type RawBuilder } from 'kysely'
import type { DatabaseReader } from '../database.ts'
import { fold } from './field-columns.ts'

/** A piece of a statement: names from our own lists, values always bound. */
export type Sql = RawBuilder<unknown>

export const nothing = sql`1 = 0`
export const everything = sql`1 = 1`

const join = (parts: readonly Sql[], word: 'and' | 'or'): Sql =>
  sql`(${sql.join(parts, sql.raw(` ${word} `))})`

export const allOf = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? everything : join(parts, 'and')
export const anyOf = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? nothing : join(parts, 'or')

/** A word's code, or one that no word has. */
export const codeOf = (word: string): Sql =>
  sql`coalesce((select code from words where word = ${word}), -1)`

/** Among values: one is compared, which is cheaper than looking it up in a list of one. */
export const among = (subject: Sql, values: readonly unknown[]): Sql => {
  if (values.length === 0) return nothing
  const [first] = values
  return values.length === 1 ? sql`${subject} = ${first}` : sql`${subject} in (${sql.join(values)})`
}

/** Among words: of several the codes are looked up together. */
export const amongWords = (subject: Sql, words: readonly string[]): Sql => {
  const [first] = words
  if (first === undefined) return nothing
  return words.length === 1
    ? sql`${subject} = ${codeOf(first)}`
    : sql`${subject} in (select code from words where word in (${sql.join(words)}))`
}

/** The longest text that the index of folded words has. */
export const longestFolded = 64

/** Among words, whatever their case: one may be spelled in several ways. */
export const amongFoldedWords = (subject: Sql, words: readonly string[]): Sql =>
  words.length === 0
    ? nothing
    : sql`${subject} in (select code from words where folded in (${sql.join(words.map(fold))}) and length(folded) <= ${sql.lit(longestFolded)})`

/** Among as many words as there may be projects: bound as one value, whatever their number. */
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

/** Text is compared by code point on both engines, whatever the database's own language is. */
export const byCodePoint = (engine: DatabaseReader['engine'], subject: Sql): Sql =>
  engine === 'postgres' ? sql`${subject} collate "C"` : subject

/** The function that says where in a text another one stands. */
export const textFinder = (engine: DatabaseReader['engine']): Sql =>
  sql.raw(engine === 'postgres' ? 'strpos' : 'instr')
