export interface Semaphore {
  /** Resolves, in the order of the calls, to what gives the permit back. */
  acquire(): Promise<() => void>
}

export function createSemaphore(permits: number): Semaphore {
  const queue: (() => void)[] = []
  let free = permits

  function giveBack(): void {
    const next = queue.shift()
    // The next in the queue takes over the permit.
    if (next) next()
    else free += 1
  }

  return {
    async acquire() {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => queue.push(resolve))
      let isHeld = true
      return () => {
        if (isHeld) giveBack()
        isHeld = false
      }
    },
  }
}
