/** Lets so many through at once; the others wait their turn. */
export function createGate(places: number) {
  let free = places
  const queue: (() => void)[] = []

  return {
    async through<Answer>(work: () => Promise<Answer>): Promise<Answer> {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => queue.push(resolve))
      try {
        return await work()
      } finally {
        const next = queue.shift()
        // Whoever is next takes the place over.
        if (next) next()
        else free += 1
      }
    },
  }
}
