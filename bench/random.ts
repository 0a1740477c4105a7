/** Pseudo-random numbers from 0 to 1, the same in every run (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Shuffles in a way that is the same in every run. */
export function shuffle<Thing>(things: readonly Thing[], seed = 1): Thing[] {
  const random = createRandom(seed)
  const shuffled = [...things]
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    const [a, b] = [shuffled[at] as Thing, shuffled[other] as Thing]
    shuffled[at] = b
    shuffled[other] = a
  }
  return shuffled
}
