/** Merges several sequences, running a limited number at once. The first error ends all. */
export async function* merge<Item>(
  sequences: readonly (() => AsyncGenerator<Item>)[],
  atOnce: number,
): AsyncGenerator<Item> {
  interface Step {
    readonly sequence: AsyncGenerator<Item>
    readonly result: IteratorResult<Item>
  }
  const waiting = [...sequences]
  const running = new Map<AsyncGenerator<Item>, Promise<Step>>()
  const step = (sequence: AsyncGenerator<Item>) => {
    const next = sequence.next().then((result): Step => ({ sequence, result }))
    // Its error is thrown where it is awaited, or ignored after another one has failed.
    next.catch(() => {})
    running.set(sequence, next)
  }
  try {
    while (waiting.length > 0 || running.size > 0) {
      while (running.size < atOnce) {
        const begin = waiting.shift()
        if (!begin) break
        step(begin())
      }
      const { sequence, result } = await Promise.race(running.values())
      if (result.done === true) {
        running.delete(sequence)
        continue
      }
      step(sequence)
      yield result.value
    }
  } finally {
    for (const sequence of running.keys()) void sequence.return(undefined).catch(() => {})
  }
}
