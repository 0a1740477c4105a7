/** Lets so many hold a permit at a time; the others wait in order. */
export interface Semaphore {
  /** Resolves to what gives the permit back. */
  acquire(): Promise<() => void>
}

export function createSemaphore(permits: number): Semaphore {
  const queue: (() => void)[] = []
  let free = permits
  const release = () => {
    const next = queue.shift()
    if (next) next()
    else free += 1
  }
  return {
    async acquire() {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => queue.push(resolve))
      return release
    },
  }
}
