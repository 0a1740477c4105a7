import type { Server } from '@muster/contract'
import { fold } from '../../domain/query/fold.ts'

/** The searchable text of a server, and the prefixes of its words. */
export interface SearchText {
  readonly text: string
  readonly starts: string
}

/** Pads a prefix of one or two characters to a trigram, the unit of the index. */
const mark = '\u0002'
/** Separates two texts. */
const gap = '\u0001'

const isPlain = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
const isLetter = (character: string) => /[\p{L}\p{N}]/u.test(character)

/**
 * The prefixes of the words of a text, each once: the first character after two marks, the first two
 * after one mark. If both prefixes of a word are new they share the marks, because every trigram takes
 * space. It runs for every write of a server, so it does not split the text into words.
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

/** The searched texts of a server. */
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

/** The column and the pattern of a search: shorter than three characters, only starts of words match. */
export function searchPattern(text: string): {
  readonly column: keyof SearchText
  readonly pattern: string
} {
  // Separators and marks are not part of the texts.
  const folded = fold(text).replaceAll(gap, '\uFFFD').replaceAll(mark, '\uFFFD')
  const characters = [...folded]
  return characters.length < 3
    ? { column: 'starts', pattern: mark.repeat(3 - characters.length) + folded }
    : { column: 'text', pattern: folded }
}
