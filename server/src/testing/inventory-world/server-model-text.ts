/** Compares texts as the decisions require, character by character and in the simplest way. */

/** Case-insensitive: each character by itself, whatever its position. */
function foldCharacter(character: string): string {
  if (character === 'ς') return 'σ'
  if (character === 'İ') return 'i'
  return character.toLowerCase()
}

export const foldText = (text: string): string => Array.from(text, foldCharacter).join('')

/** By code point. */
export function compareCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  for (const [at, character] of left.entries()) {
    const other = right[at]
    if (other === undefined) return 1
    const difference = (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** `%` matches any characters, `_` one, all others themselves. */
export function isLike(text: string, pattern: string): boolean {
  const expression = Array.from(foldText(pattern), (character) => {
    if (character === '%') return '[^]*'
    return character === '_' ? '[^]' : RegExp.escape(character)
  }).join('')
  return new RegExp(`^${expression}$`, 'u').test(foldText(text))
}

const isWordCharacter = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character)

/** Three or more characters match anywhere, fewer only at the start of a word. */
export function isFoundIn(text: string, searched: string): boolean {
  const [characters, wanted] = [[...foldText(text)], [...foldText(searched)]]
  const isBound = wanted.length < 3
  if (isBound && !wanted.every(isWordCharacter)) return false
  return characters.some((_, at) => {
    if (isBound && isWordCharacter(characters[at - 1])) return false
    return wanted.every((character, step) => characters[at + step] === character)
  })
}

/** Three or more characters match anywhere, fewer only at the start. */
export const isFoundInId = (id: string, searched: string): boolean =>
  isFoundIn(id, searched) &&
  ([...searched].length >= 3 || foldText(id).startsWith(foldText(searched)))

/** The family and the number of an address; undefined if the text is not an address. */
function addressNumber(text: string): { bits: 32 | 128; number: bigint } | undefined {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1]
  const four = mapped ?? text
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(four)) {
    const number = four.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
    return { bits: 32, number }
  }
  if (!/^[0-9a-f:]+$/i.test(text) || !text.includes(':')) return undefined
  const [head = '', tail] = text.split('::')
  const parts = (half: string) => (half === '' ? [] : half.split(':'))
  const [first, last] = [parts(head), parts(tail ?? '')]
  const missing = tail === undefined ? 0 : 8 - first.length - last.length
  const all = [...first, ...Array.from({ length: missing }, () => '0'), ...last]
  const number = all.reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n)
  return { bits: 128, number }
}

/** Whether an address lies in a network, or is the address. */
export function isInNetwork(address: string, network: string): boolean {
  const [base = '', prefix] = network.split('/')
  const [it, start] = [addressNumber(address), addressNumber(base)]
  if (!it || !start || it.bits !== start.bits) return false
  const rest = BigInt(prefix === undefined ? 0 : start.bits - Number(prefix))
  return it.number >> rest === start.number >> rest
}

/** Parses a timestamp as users type it into microseconds since 1970. */
export function timestampNumber(text: string): number {
  const [, day = '', time = '00:00:00', fraction = ''] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?Z?)?$/.exec(text) ?? []
  return Date.parse(`${day}T${time}Z`) * 1000 + Number(fraction.padEnd(6, '0'))
}
