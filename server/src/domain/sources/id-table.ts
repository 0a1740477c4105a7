const wordsPerId = 4
const initialCapacity = 1_024

/** The value of a hexadecimal digit by its character code; -1 for other characters. */
const digits = new Int8Array(128).fill(-1)
for (let value = 0; value < 16; value += 1) digits[value.toString(16).charCodeAt(0)] = value

const hyphen = 45

/** The words of the id that was parsed last: an array per id would be garbage for every lookup. */
const parsed = new Uint32Array(wordsPerId)

/** False if it is not a UUID in lower case, as `derivedId` makes them. */
function parse(id: string): boolean {
  let isValid = id.length === 36
  let at = 0
  for (let word = 0; word < wordsPerId && isValid; word += 1) {
    let bits = 0
    for (let digit = 0; digit < 8; digit += 1) {
      if (at === 8 || at === 13 || at === 18 || at === 23) {
        isValid &&= id.charCodeAt(at) === hyphen
        at += 1
      }
      const value = digits[id.charCodeAt(at)] ?? -1
      isValid &&= value !== -1
      bits = (bits << 4) | value
      at += 1
    }
    parsed[word] = bits
  }
  return isValid
}

const hex = (word: number) => word.toString(16).padStart(8, '0')

/**
 * Numbers server ids in the order in which they are added, from 0. It takes about 30 bytes per id,
 * outside the heap: a million texts in a `Set` take 100 MB, and the garbage collector visits them.
 */
export class IdTable {
  #words = new Uint32Array(initialCapacity * wordsPerId)
  /** Open addressing with linear probing: the number of an id plus 1, or 0 for a free slot. */
  #slots = new Uint32Array(initialCapacity * 2)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The number of the id, which is added if it is new. */
  add(id: string): number {
    if (!parse(id)) throw new Error(`the id of a server must be a UUID, not ${id}`)
    const slot = this.#findParsed()
    const known = this.#slots[slot] as number
    if (known > 0) return known - 1
    this.#words.set(parsed, this.#size * wordsPerId)
    this.#size += 1
    this.#slots[slot] = this.#size
    if (this.#size * wordsPerId === this.#words.length) this.#grow()
    return this.#size - 1
  }

  /** Undefined if the id was not added. */
  numberOf(id: string): number | undefined {
    if (!parse(id)) return undefined
    const known = this.#slots[this.#findParsed()] as number
    return known === 0 ? undefined : known - 1
  }

  has(id: string): boolean {
    return this.numberOf(id) !== undefined
  }

  idOf(number: number): string {
    const at = number * wordsPerId
    const [first, second, third, fourth] = [0, 1, 2, 3].map((word) =>
      hex(this.#words[at + word] as number),
    ) as [string, string, string, string]
    return `${first}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${fourth}`
  }

  /** The slot of the id, or the free slot where it belongs. Ids are hashes, so a word of one is a hash of it. */
  #findParsed(): number {
    const [a, b, c, d] = parsed
    const [words, slots] = [this.#words, this.#slots]
    const mask = slots.length - 1
    let slot = (a as number) & mask
    for (;;) {
      const known = slots[slot] as number
      if (known === 0) return slot
      const at = (known - 1) * wordsPerId
      const isSame =
        words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d
      if (isSame) return slot
      slot = (slot + 1) & mask
    }
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2)
    words.set(this.#words)
    this.#words = words
    this.#slots = new Uint32Array(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    for (let number = 0; number < this.#size; number += 1) {
      let slot = (words[number * wordsPerId] as number) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = number + 1
    }
  }
}
