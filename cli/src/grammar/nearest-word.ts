/** The number of letters to insert, delete or replace. Two swapped letters count as one. */
function distance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= to.length; column++) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1
      const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const plain = Math.min(
        at(row - 1, column) + 1,
        (current[column - 1] ?? 0) + 1,
        at(row - 1, column - 1) + cost,
      )
      current.push(isSwap ? Math.min(plain, at(row - 2, column - 2) + 1) : plain)
    }
  }
  return at(from.length, to.length)
}

const longestWord = 40

/** ` Did you mean "…"?`, or nothing if no known word is similar. */
export function didYouMean(word: string, known: Iterable<string>): string {
  if (word === '' || word.length > longestWord) return ''
  const candidates = [...known]
    .map((candidate) => ({ candidate, steps: distance(word.toLowerCase(), candidate) }))
    .filter(({ steps }) => steps <= Math.min(3, Math.ceil(word.length / 3)))
    .sort((one, other) => one.steps - other.steps)
  const [best] = candidates
  return best ? ` Did you mean "${best.candidate}"?` : ''
}
