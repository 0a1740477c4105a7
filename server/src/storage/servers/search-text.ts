import type { Server } from '@muster/contract'
import { fold } from './field-columns.ts'

/** What a search looks at: the texts themselves, and what their words begin with. */
export interface SearchText {
  readonly text: string
  readonly starts: string
}

/** Makes the first one or two characters of a word three, which is what the index knows. */
const mark = '\u0002'
/** Stands between two texts. */
const gap = '\u0001'

const isPlain = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
const isLetter = (character: string) => /[\p{L}\p{N}]/u.test(character)

/**
 * What the words of a text begin with, each once: the first character after two marks, the first two
 * after one. Two that follow their first share its marks, since every three in a row cost. Every
 * server that is written comes by here: no words are cut out.
 */
function startsOf(text: string): string {
  const known = new Set<string>()
  let starts = ''
  let length = 0
  let first = ''
  let isFirstNew = false
  let size = 1
  for (let at = 0; at < text.length; at += size) {
    const code = text.codePointAt(at) ?? 0
    size = code > 0xffff ? 2 : 1
    const isInWord = code < 0x80 ? isPlain(code) : isLetter(String.fromCodePoint(code))
    length = isInWord ? length + 1 : 0
    if (length === 1) {
      first = text.slice(at, at + size)
      isFirstNew = !known.has(first)
      if (isFirstNew) {
        known.add(first)
        starts += mark + mark + first
      }
    } else if (length === 2) {
      const both = first + text.slice(at, at + size)
      if (known.has(both)) continue
      known.add(both)
      starts += isFirstNew ? text.slice(at, at + size) : mark + both
    }
  }
  return starts
}

/** What of a server is searched. */
type Searched = Pick<
  Server,
  'name' | 'id' | 'host' | 'description' | 'external_id' | 'ips' | 'nics' | 'metadata'
>

/** No match crosses from one text into the next. */
export function searchText(server: Searched): SearchText {
  const texts = [
    server.name,
    server.id,
    server.host,
    server.description,
    server.external_id,
    ...server.ips.split(','),
    ...server.nics.map(({ mac }) => mac),
    ...Object.values(server.metadata),
  ].filter((text) => text !== '')
  const text = fold(texts.join(gap))
  return { text, starts: startsOf(text) }
}

/** Where a searched text is looked for, and as what: from three characters on anywhere, before that at the start of a word. */
export function searchPattern(text: string): {
  readonly column: keyof SearchText
  readonly pattern: string
} {
  // What is between the texts, and before their beginnings, is not theirs.
  const folded = fold(text).replaceAll(gap, '\uFFFD').replaceAll(mark, '\uFFFD')
  const characters = [...folded]
  return characters.length < 3
    ? { column: 'starts', pattern: mark.repeat(3 - characters.length) + folded }
    : { column: 'text', pattern: folded }
}
