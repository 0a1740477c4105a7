const longestTimeout = 2 ** 31 - 1

/** Sleeps until a time, an interruption or the signal, whichever comes first. */
export function createInterruptibleSleep(signal: AbortSignal, clock: () => number) {
  let interrupt = () => {}
  return {
    interrupt: () => interrupt(),
    async until(time: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      interrupt = resolve
      const timer = setTimeout(resolve, Math.min(Math.max(time - clock(), 0), longestTimeout))
      const onAbort = () => resolve()
      signal.addEventListener('abort', onAbort)
      await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}
