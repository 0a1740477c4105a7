import { badField } from '../error.ts'
import { scanQuoted } from './scan-quoted.ts'

const signs = ['>=', '<=', '>', '<', '=', ':'] as const
export type Sign = (typeof signs)[number]

export interface QValue {
  readonly text: string
  /** It was in quotes, so it is taken literally. */
  readonly isQuoted: boolean
}

/** A word of the query, as it was typed. */
export type QTerm = { readonly at: number; readonly isNegated: boolean } & (
  | { readonly kind: 'words'; readonly text: string }
  | {
      readonly kind: 'comparison'
      readonly name: string
      readonly sign: Sign
      readonly values: readonly QValue[]
      /** The whole word, without the `-`. */
      readonly text: string
    }
)

const isBlank = (character: string | undefined) => character === ' ' || character === '\t'
const isNameCharacter = (character: string | undefined) =>
  character !== undefined && /[A-Za-z0-9_]/.test(character)

/** The position in the query, for error messages. */
const place = (at: number) => `at character ${at + 1}`

function scanQuotedAt(line: string, at: number) {
  const quoted = scanQuoted(line, at)
  if (quoted === 'open') throw badField('q', `has an unclosed quote ${place(at)}`)
  return quoted
}

/** A value up to the next blank or comma. Quotes at its beginning or after a `=` protect both. */
function scanValue(line: string, start: number): QValue & { readonly end: number } {
  let at = start
  let text = ''
  let isQuoted = false
  while (at < line.length && line[at] !== ',' && !isBlank(line[at])) {
    const mayQuote = at === start || line[at - 1] === '='
    const quoted = mayQuote ? scanQuotedAt(line, at) : undefined
    if (quoted) {
      text += quoted.text
      at = quoted.end
      isQuoted = true
    } else {
      text += line[at]
      at += 1
    }
  }
  return { text, isQuoted, end: at }
}

function scanValues(line: string, start: number) {
  const values: QValue[] = []
  let at = start
  for (;;) {
    const { text, isQuoted, end } = scanValue(line, at)
    if (text === '' && !isQuoted) {
      throw badField('q', `has a missing value ${place(at)}. Write an empty value as "".`)
    }
    values.push({ text, isQuoted })
    at = end
    if (line[at] !== ',') return { values, end: at }
    at += 1
  }
}

/** The end of what looks like a name at this position. */
function scanName(line: string, start: number): number {
  let at = start
  if (/[0-9]/.test(line[at] ?? '')) return start
  while (isNameCharacter(line[at])) at += 1
  return at
}

/** Hexadecimal digits and colons are an IPv6 or a MAC address. */
const looksLikeAddress = (text: string) => /^[0-9a-f.:/]+$/i.test(text) && text.includes(':')

function endOfWord(line: string, start: number): number {
  let at = start
  while (at < line.length && !isBlank(line[at])) at += 1
  return at
}

function scanTerm(line: string, start: number): { term: QTerm; end: number } {
  const isNegated = line[start] === '-' && start + 1 < line.length && !isBlank(line[start + 1])
  const at = isNegated ? start + 1 : start
  const quoted = scanQuotedAt(line, at)
  if (quoted) return { term: { kind: 'words', at, isNegated, text: quoted.text }, end: quoted.end }

  const nameEnd = scanName(line, at)
  const wordEnd = endOfWord(line, at)
  const word = line.slice(at, wordEnd)
  const sign = nameEnd === at ? undefined : signs.find((each) => line.startsWith(each, nameEnd))
  if (!sign || looksLikeAddress(word)) {
    return { term: { kind: 'words', at, isNegated, text: word }, end: wordEnd }
  }
  const name = line.slice(at, nameEnd)
  const { values, end } = scanValues(line, nameEnd + sign.length)
  const text = line.slice(at, end)
  return { term: { kind: 'comparison', at, isNegated, name, sign, values, text }, end }
}

/** Splits a query into its words. */
export function scanQ(line: string): QTerm[] {
  const terms: QTerm[] = []
  let at = 0
  for (;;) {
    while (isBlank(line[at])) at += 1
    if (at >= line.length) return terms
    const { term, end } = scanTerm(line, at)
    terms.push(term)
    at = end
  }
}
