import type { Server } from '@muster/contract'
import { fold } from './columns.ts'

/** What a search looks at: the texts themselves, and what their words begin with. */
export interface SearchText {
  readonly text: string
  readonly starts: string
}

const isWordCharacter = (character: string): boolean =>
  character < '\u0080' ? /[a-z0-9]/.test(character) : /[\p{L}\p{N}]/u.test(character)

/** Makes the first one or two characters of a word three, which is what the index knows. */
const mark = '\u0002'
/** Stands between two texts. */
const gap = '\u0001'

/** What the words of texts begin with. Every server that is written comes by here: no words are cut out. */
function startsOf(texts: readonly string[]): string {
  const starts = new Set<string>()
  for (const text of texts) {
    let length = 0
    let first = ''
    for (const character of text) {
      length = isWordCharacter(character) ? length + 1 : 0
      if (length === 1) {
        first = character
        starts.add(mark + mark + first)
      } else if (length === 2) {
        starts.add(mark + first + character)
      }
    }
  }
  return [...starts].join('')
}

/** No match crosses from one text into the next. */
export function searchText(server: Server): SearchText {
  const texts = [
    server.name,
    server.id,
    server.host,
    server.description,
    server.external_id,
    ...server.ips.split(','),
    ...server.nics.map(({ mac }) => mac),
    ...Object.values(server.metadata),
  ]
    .filter((text) => text !== '')
    .map(fold)
  return { text: texts.join(gap), starts: startsOf(texts) }
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
