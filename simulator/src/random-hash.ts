/**
 * Deterministic random numbers: a hash of seed, subject and field. Any server can be generated
 * without the others. 32 bits keep it fast for large fleets.
 */

const golden = 0x9e3779b9
const wholeRange = 0x1_0000_0000

/** Mixes 32 bits. It is a bijection, so different inputs give different outputs. */
function mix(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return (bits ^ (bits >>> 15)) >>> 0
}

const unshift15 = (bits: number) => bits ^ (bits >>> 15) ^ (bits >>> 30)

/** The inverse of `mix`: its factors are the inverses of those above, modulo 2^32. */
function unmix(value: number): number {
  const bits = Math.imul(unshift15(value | 0), 0x97132227)
  const first = Math.imul(unshift15(bits), 0x333c4925)
  return (first ^ (first >>> 16)) >>> 0
}

/** The random seed of one subject of a fleet. */
export const diceOf = (seed: number, subject: number): number => mix(mix(seed) ^ subject)

/** The subject whose random seed this is. */
export const subjectOf = (seed: number, dice: number): number => (unmix(dice) ^ mix(seed)) >>> 0

/** The random seed of a named subject. */
export function diceOfText(seed: number, text: string): number {
  let bits = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193)
  }
  return mix(mix(seed) ^ mix(bits))
}

/** 32 random bits. Each use has its own field number. */
export const roll = (dice: number, fieldNumber: number): number =>
  mix(dice + Math.imul(fieldNumber, golden))

/** The random seed that gives these 32 bits for the field. */
export const diceOfRoll = (bits: number, fieldNumber: number): number =>
  (unmix(bits) - Math.imul(fieldNumber, golden)) >>> 0

/** A random number from 0 to 1, exclusive. */
export const chance = (dice: number, fieldNumber: number): number =>
  roll(dice, fieldNumber) / wholeRange

/** A random integer from 0 to `sides`, exclusive. */
export const below = (dice: number, fieldNumber: number, sides: number): number =>
  Math.floor(chance(dice, fieldNumber) * sides)

export const pick = <Item>(dice: number, fieldNumber: number, items: readonly Item[]): Item =>
  items[below(dice, fieldNumber, items.length)] as Item

/** Repeats each value by its weight, so that a uniform pick is a weighted one. */
export const byWeight = <Item>(weights: readonly (readonly [Item, number])[]): readonly Item[] =>
  weights.flatMap(([item, weight]) => Array.from({ length: weight }, () => item))

const hex4 = Array.from({ length: 0x1_0000 }, (_, value) => value.toString(16).padStart(4, '0'))

export const hex16 = (bits: number): string => hex4[bits & 0xffff] as string
export const hex32 = (bits: number): string => hex16(bits >>> 16) + hex16(bits)

/**
 * Joins texts to one in a single piece. V8 stores the result of a template as a tree of its parts, and
 * an object with one such text takes three times as long to turn into JSON.
 */
export const joined = (...parts: readonly (string | number)[]): string => parts.join('')

/** The character codes of the hexadecimal digits. */
const digits = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
/** The digit at a place of 32 bits, counted from the last one. */
const digit = (bits: number, place: number): number =>
  digits[(bits >>> (place * 4)) & 0xf] as number
const hyphen = 45

/**
 * A UUID. Its first part differs between subjects for the same field, the second also between
 * fields.
 */
export function uuid(dice: number, fieldNumber: number): string {
  const first = mix(dice ^ mix(fieldNumber))
  const second = mix(first + dice)
  const third = mix(second ^ fieldNumber)
  const fourth = mix(third + dice)
  const version = (second & 0x0fff) | 0x4000
  const variant = (third & 0x3fff) | 0x8000
  // prettier-ignore
  return String.fromCharCode(
    digit(first, 7), digit(first, 6), digit(first, 5), digit(first, 4),
    digit(first, 3), digit(first, 2), digit(first, 1), digit(first, 0), hyphen,
    digit(second, 7), digit(second, 6), digit(second, 5), digit(second, 4), hyphen,
    digit(version, 3), digit(version, 2), digit(version, 1), digit(version, 0), hyphen,
    digit(variant, 3), digit(variant, 2), digit(variant, 1), digit(variant, 0), hyphen,
    digit(third, 7), digit(third, 6), digit(third, 5), digit(third, 4),
    digit(fourth, 7), digit(fourth, 6), digit(fourth, 5), digit(fourth, 4),
    digit(fourth, 3), digit(fourth, 2), digit(fourth, 1), digit(fourth, 0),
  )
}

/** The random seed that gives this UUID for the field. */
export const diceOfUuid = (text: string, fieldNumber: number): number =>
  (unmix(Number.parseInt(text.slice(0, 8), 16)) ^ mix(fieldNumber)) >>> 0

const day = 86_400_000
/** The date of each day, because formatting a whole timestamp takes ten times as long. */
const dates = new Map<number, string>()

function dateOf(dayNumber: number): string {
  const known = dates.get(dayNumber)
  if (known !== undefined) return known
  const date = new Date(dayNumber * day).toISOString().slice(0, 11)
  dates.set(dayNumber, date)
  return date
}

const zero = 48
const [colon, dot, utc] = [58, 46, 90]

/** Formats a timestamp with random microseconds. */
export function stamp(milliseconds: number, micros: number): string {
  const dayNumber = Math.floor(milliseconds / day)
  const ofDay = milliseconds - dayNumber * day
  const seconds = Math.floor(ofDay / 1_000)
  const minutes = Math.floor(seconds / 60)
  const digit = (number: number, unit: number) => zero + (Math.floor(number / unit) % 10)
  const [hour, minute, second] = [Math.floor(minutes / 60), minutes % 60, seconds % 60]
  const date = dateOf(dayNumber)
  const dateCode = (at: number) => date.charCodeAt(at)
  // prettier-ignore
  return String.fromCharCode(
    dateCode(0), dateCode(1), dateCode(2), dateCode(3), dateCode(4), dateCode(5),
    dateCode(6), dateCode(7), dateCode(8), dateCode(9), dateCode(10),
    digit(hour, 10), digit(hour, 1), colon,
    digit(minute, 10), digit(minute, 1), colon,
    digit(second, 10), digit(second, 1), dot,
    digit(ofDay, 100), digit(ofDay, 10), digit(ofDay, 1),
    digit(micros, 100), digit(micros, 10), digit(micros, 1), utc,
  )
}
