/** Sleeps until a moment that may still be brought forward. */
export function createAlarm(signal: AbortSignal, clock: () => number) {
  let wake = () => {}
  return {
    wake: () => wake(),
    async sleep(until: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const timer = setTimeout(resolve, Math.min(Math.max(until - clock(), 0), 2 ** 31 - 1))
      const onAbort = () => resolve()
      signal.addEventListener('abort', onAbort)
      await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}
