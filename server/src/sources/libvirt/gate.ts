/** A semaphore: so many may be inside at once, the others wait in the order in which they came. */
export function createGate(places: number) {
  let free = places
  const queue: (() => void)[] = []

  function leave(): void {
    const next = queue.shift()
    // The next in the queue takes over the place.
    if (next) next()
    else free += 1
  }

  return {
    /** Resolves once inside, to the function that leaves. */
    async enter(): Promise<() => void> {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => queue.push(resolve))
      let isInside = true
      return () => {
        if (isInside) leave()
        isInside = false
      }
    },
  }
}
