import { setTimeout as pause } from 'node:timers/promises'
import { anonymousMemory, type BenchServer } from './server.ts'

/** How fast a fleet was loaded, and how much anonymous memory that took. */
export interface LoadFigures {
  readonly seconds: number
  /** Servers a second, in the first tenth and in the last one. */
  readonly firstRate: number
  readonly lastRate: number
  readonly peakBytes: number
  readonly settledBytes: number
}

const between = 1_000
const settling = 120_000

/** Reads the number of servers and the memory of the process once a second. */
export function observeLoad({ url, pid }: BenchServer, token: string, size: number) {
  const begin = performance.now()
  const counts: (readonly [servers: number, seconds: number])[] = []
  let peakBytes = 0
  const stop = new AbortController()

  async function observe(): Promise<void> {
    while (!stop.signal.aborted) {
      const headers = { 'x-auth-token': token }
      const response = await fetch(`${url}/servers?scope=system&limit=0`, { headers })
      const { total } = (await response.json()) as { total: number }
      counts.push([total, (performance.now() - begin) / 1_000])
      peakBytes = Math.max(peakBytes, anonymousMemory(pid))
      await pause(between)
    }
  }
  const observed = observe()

  return {
    async finish(): Promise<LoadFigures> {
      const seconds = (performance.now() - begin) / 1_000
      const total = counts.at(-1)?.[0] ?? size
      // A small fleet is not worth the wait.
      if (size >= 100_000) await pause(settling)
      stop.abort()
      await observed
      const reached = (servers: number) =>
        counts.find(([count]) => count >= servers)?.[1] ?? Number.NaN
      const tenth = total / 10
      return {
        seconds,
        firstRate: tenth / reached(tenth),
        lastRate: tenth / (reached(total) - reached(total - tenth)),
        peakBytes,
        settledBytes: anonymousMemory(pid),
      }
    },
  }
}
