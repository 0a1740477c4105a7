/** Merges async sequences with limited concurrency. The first error ends all of them. */
export async function* merge<Item>(
  sequences: readonly (() => AsyncGenerator<Item>)[],
  concurrency: number,
): AsyncGenerator<Item> {
  interface Step {
    readonly sequence: AsyncGenerator<Item>
    readonly result: IteratorResult<Item>
  }
  const waiting = [...sequences]
  const running = new Map<AsyncGenerator<Item>, Promise<Step>>()
  const step = (sequence: AsyncGenerator<Item>) => {
    const next = sequence.next().then((result): Step => ({ sequence, result }))
    // Prevents an unhandled rejection if another sequence fails first.
    next.catch(() => {})
    running.set(sequence, next)
  }
  try {
    while (waiting.length > 0 || running.size > 0) {
      while (running.size < concurrency) {
        const start = waiting.shift()
        if (!start) break
        step(start())
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
