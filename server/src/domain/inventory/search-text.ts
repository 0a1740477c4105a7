import { fieldsUsedFor, servers, type FieldUsedFor, type Server } from '@muster/contract'
import { indexedMetadata } from './own-fields.ts'
import { fold } from '../query/fold.ts'

/** The searchable text of a server, and the prefixes of its words. */
export interface SearchText {
  readonly text: string
  readonly starts: string
}

/** Pads a prefix of one or two characters to a trigram, the unit of the index. */
const mark = '\u0002'
/** Separates two texts. */
const gap = '\u0001'
/** Separates names and other texts from ids. */
export const partSeparator = '\u0003'
const highestSeparator = 3

const isPlain = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
const isLetter = (character: string) => /[\p{L}\p{N}]/u.test(character)

const isInWord = (code: number) =>
  code < 0x80 ? isPlain(code) : isLetter(String.fromCodePoint(code))

/**
 * The prefixes of the words of a text, each once: the first character after two marks, the first two after
 * one mark. If both prefixes of a word are new they share the marks, because every trigram takes space. It
 * runs for every write of a server, so it does not split the text into words. Of an id only the first word
 * counts, because people do not search for two characters in the middle of an id.
 */
function startsOf(text: string): string {
  const idsAt = text.indexOf(partSeparator)
  const known = new Set<string>()
  let starts = ''
  let length = 0
  let first = ''
  let isFirstNew = false
  let isSkipping = false
  let size = 1
  for (let at = 0; at < text.length; at += size) {
    const code = text.codePointAt(at) ?? 0
    size = code > 0xffff ? 2 : 1
    if (!isInWord(code)) {
      length = 0
      isSkipping = at > idsAt && code > highestSeparator
    } else if (!isSkipping) {
      length += 1
    }
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

type SearchedField = FieldUsedFor<typeof servers, 'search'>

/** The searched texts of a server. */
type Searched = Pick<Server, SearchedField | 'nics' | 'metadata'>

const idFields = ['id', 'external_id'] as const satisfies SearchedField[]
const firstFields = ['name', 'host', 'description'] as const satisfies SearchedField[]
const placedFields: ReadonlySet<string> = new Set([...idFields, ...firstFields, 'ips'])
const otherFields = fieldsUsedFor(servers, 'search').filter((field) => !placedFields.has(field))

const join = (texts: readonly string[]) => fold(texts.filter((text) => text !== '').join(gap))

/** No match crosses from one text into the next. */
export function searchText(server: Searched): SearchText {
  const names = join([
    ...firstFields.map((field) => server[field]),
    ...server.ips.split(','),
    ...indexedMetadata(server.metadata).map(([, value]) => value),
    ...otherFields.map((field) => server[field]),
  ])
  const ids = join([
    ...idFields.map((field) => server[field]),
    ...server.nics.map(({ mac }) => mac),
  ])
  const text = names + partSeparator + ids
  return { text, starts: startsOf(text) }
}

/** The column and the pattern of a search: shorter than three characters, only starts of words match. */
export function searchPattern(text: string): {
  readonly column: keyof SearchText
  readonly pattern: string
} {
  // Separators and marks are not part of the texts.
  const folded = [gap, mark, partSeparator].reduce(
    (cleaned, separator) => cleaned.replaceAll(separator, '\uFFFD'),
    fold(text),
  )
  const characters = [...folded]
  return characters.length < 3
    ? { column: 'starts', pattern: mark.repeat(3 - characters.length) + folded }
    : { column: 'text', pattern: folded }
}
