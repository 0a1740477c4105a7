/** Longer words are never typing errors of ours, and comparing them would cost. */
const longestWord = 40

/**
 * How many letters have to be put in, left out, exchanged or swapped with their neighbour to make
 * one word of the other; anything above `most` counts as one more than that.
 */
function distance(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && isSwapped) {
        least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1)
      }
      current.push(least)
    }
    ;[beforeLast, last] = [last, current]
  }
  return Math.min(last[to.length] ?? 0, most + 1)
}

/** The known word that somebody most likely meant, if any is near. Of equals the first. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const lower = word.toLowerCase()
  if (lower.length === 0 || lower.length > longestWord) return undefined
  // One letter in three may be wrong.
  let least = Math.min(3, Math.ceil(lower.length / 3)) + 1
  let found: string | undefined
  for (const candidate of known) {
    const steps = distance(lower, candidate.toLowerCase(), least - 1)
    if (steps < least) [least, found] = [steps, candidate]
  }
  return found
}

/** For the end of a sentence about an unknown word: a suggestion, or a full stop's worth of nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const found = nearest(word, known)
  return found === undefined ? '' : `: did you mean "${found}"?`
}
