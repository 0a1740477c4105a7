/**
 * Characters that a terminal could obey, or that change the order of a line: control characters, marks of
 * text direction, line separators, and characters without width. Half surrogates are no text at all.
 */
const unsafe =
  /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\p{Cs}\u{E0000}-\u{E007F}]/gu

const escapeCharacter = (character: string): string => {
  if (character === '\n') return String.raw`\n`
  if (character === '\t') return String.raw`\t`
  if (character === '\r') return String.raw`\r`
  return escapeUnit(character)
}

/** As JSON writes it. */
const escapeUnit = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
    .map((unit) => String.raw`\u` + unit.toString(16).padStart(4, '0'))
    .join('')

/** A text in one line, whose unsafe characters are visible. */
export const safeText = (text: string): string => text.replaceAll(unsafe, escapeCharacter)

/** Text of several lines. */
export const safeLines = (text: string): string => text.split('\n').map(safeText).join('\n')

/** JSON with unsafe characters escaped. It has the same value. */
export function safeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent) ?? 'null'
  return text.replaceAll(unsafe, (character) => (character === '\n' ? '\n' : escapeUnit(character)))
}
