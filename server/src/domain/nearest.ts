/** Longer than all known names. Comparing long words is expensive. */
const maxLength = 40

/**
 * The edit distance of two words (insertion, deletion, substitution, transposition of neighbours);
 * a distance above `max` is reported as `max + 1`.
 */
function distance(from: string, to: string, max: number): number {
  if (Math.abs(from.length - to.length) > max) return max + 1
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
  return Math.min(last[to.length] ?? 0, max + 1)
}

/** The known word with the smallest edit distance, if it is small; the first of equals. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const lower = word.toLowerCase()
  if (lower.length === 0 || lower.length > maxLength) return undefined
  // One letter in three may differ.
  let least = Math.min(3, Math.ceil(lower.length / 3)) + 1
  let found: string | undefined
  for (const candidate of known) {
    const steps = distance(lower, candidate.toLowerCase(), least - 1)
    if (steps < least) [least, found] = [steps, candidate]
  }
  return found
}

/** The end of an error message about an unknown word: a suggestion, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const found = nearest(word, known)
  return found === undefined ? '' : `: did you mean "${found}"?`
}
