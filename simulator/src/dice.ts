/**
 * Random that can be asked again: what falls depends on what is asked and on nothing else, so that
 * any part of a fleet can be made without the rest. 32 bits are cheap, and a fleet is large.
 */

const golden = 0x9e3779b9
const wholeRange = 0x1_0000_0000

/** Scatters 32 bits. No two values come to the same: what goes in different comes out different. */
function mix(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return (bits ^ (bits >>> 15)) >>> 0
}

/** Where the dice of one subject start: of each subject of a seed somewhere else. */
export const diceOf = (seed: number, subject: number): number => mix(mix(seed) ^ subject)

/** The dice of something that goes by a name. */
export function diceOfText(seed: number, text: string): number {
  let bits = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193)
  }
  return mix(mix(seed) ^ mix(bits))
}

/** A throw: 32 bits. Each question about a subject has a number of its own. */
export const roll = (dice: number, question: number): number =>
  mix(dice + Math.imul(question, golden))

/** A throw from 0 to 1, without 1. */
export const chance = (dice: number, question: number): number => roll(dice, question) / wholeRange

/** A throw from 0 to `sides`, without `sides`. */
export const below = (dice: number, question: number, sides: number): number =>
  Math.floor(chance(dice, question) * sides)

export const pick = <Item>(dice: number, question: number, items: readonly Item[]): Item =>
  items[below(dice, question, items.length)] as Item

/** Spells weights out, so that picking from the result is picking by weight. */
export const byWeight = <Item>(weights: readonly (readonly [Item, number])[]): readonly Item[] =>
  weights.flatMap(([item, weight]) => Array.from({ length: weight }, () => item))

const hex4 = Array.from({ length: 0x1_0000 }, (_, value) => value.toString(16).padStart(4, '0'))

export const hex16 = (bits: number): string => hex4[bits & 0xffff] as string
export const hex32 = (bits: number): string => hex16(bits >>> 16) + hex16(bits)

/**
 * An id in the form of a random one. Its first part tells all subjects of a seed apart as long as
 * the question is the same; the second also the questions.
 */
export function uuid(dice: number, question: number): string {
  const first = mix(dice ^ mix(question))
  const second = mix(first + dice)
  const third = mix(second ^ question)
  const fourth = mix(third + dice)
  const version = hex16((second & 0x0fff) | 0x4000)
  const variant = hex16((third & 0x3fff) | 0x8000)
  return `${hex32(first)}-${hex16(second >>> 16)}-${version}-${variant}-${hex16(third >>> 16)}${hex32(fourth)}`
}

/** A moment as the wire writes it; microseconds are the dice's. */
export const stamp = (milliseconds: number, micros: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, -1)}${String(micros % 1_000).padStart(3, '0')}Z`
