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

/** The random seed of one subject of a fleet. */
export const diceOf = (seed: number, subject: number): number => mix(mix(seed) ^ subject)

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
 * A UUID. Its first part differs between subjects for the same field, the second also between
 * fields.
 */
export function uuid(dice: number, fieldNumber: number): string {
  const first = mix(dice ^ mix(fieldNumber))
  const second = mix(first + dice)
  const third = mix(second ^ fieldNumber)
  const fourth = mix(third + dice)
  const version = hex16((second & 0x0fff) | 0x4000)
  const variant = hex16((third & 0x3fff) | 0x8000)
  return `${hex32(first)}-${hex16(second >>> 16)}-${version}-${variant}-${hex16(third >>> 16)}${hex32(fourth)}`
}

/** Formats a timestamp with random microseconds. */
export const stamp = (milliseconds: number, micros: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, -1)}${String(micros % 1_000).padStart(3, '0')}Z`
