interface Settings {
  readonly abreast: number
  readonly longestQueue: number
  readonly refuse: () => Error
}

/** Lets so many through at a time, keeps so many waiting in order, and turns the rest away. */
export function createTurnstile({ abreast, longestQueue, refuse }: Settings) {
  const queue: (() => void)[] = []
  let inside = 0

  const enter = (): Promise<void> => {
    if (inside < abreast) {
      inside += 1
      return Promise.resolve()
    }
    if (queue.length >= longestQueue) return Promise.reject(refuse())
    return new Promise((resolve) => queue.push(resolve))
  }
  /** The place goes to who waits longest, so `inside` stays as it is. */
  const leave = () => {
    const next = queue.shift()
    if (next) next()
    else inside -= 1
  }

  return {
    async pass<Result>(work: () => Promise<Result>): Promise<Result> {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
    waiting: () => queue.length,
  }
}
