import type { Reading } from '../sources/record-together.ts'
import { UnconfirmedAbsence } from '../sources/source-error.ts'
import type { ServerReference, Source } from '../sources/source.ts'

interface Waiting {
  readonly reference: ServerReference
  readonly resolve: (reading: Reading) => void
  readonly reject: (error: unknown) => void
}

interface Dependencies {
  /** Opens a connection that reads. */
  readonly open: () => Promise<Source>
  readonly signal: AbortSignal
  /** Milliseconds for one request. */
  readonly timeLimit: number
}

/** Requests within this time go out together. */
const collectTime = 50
const maxTogether = 100
const maxConcurrent = 4

/**
 * Reads servers for the tasks of an account. Readings that are due together share one connection, and one
 * request where the source can.
 */
export function createServerReadings({ open, signal, timeLimit }: Dependencies) {
  let waiting: Waiting[] = []
  let isCollecting = false

  /** One request for servers of one region, so that a region that fails does not affect another. */
  async function readRegion(
    getMany: NonNullable<Source['getMany']>,
    some: readonly Waiting[],
    limit: AbortSignal,
  ): Promise<void> {
    try {
      const readings = await getMany(
        some.map(({ reference }) => reference),
        limit,
      )
      for (const [at, { resolve }] of some.entries()) resolve(readings[at])
    } catch (error) {
      // The error concerns one of them, and each has its own task.
      if (error instanceof UnconfirmedAbsence && some.length > 1) {
        for (const one of some) await readRegion(getMany, [one], limit)
      } else for (const { reject } of some) reject(error)
    }
  }

  async function readTogether(source: Source, some: readonly Waiting[]): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeLimit)])
    const { getMany } = source
    if (getMany && some.length > 1) {
      const regions = Map.groupBy(some, ({ reference }) => reference.regionId)
      await Promise.all([...regions.values()].map((ones) => readRegion(getMany, ones, limit)))
      return
    }
    const queue = [...some]
    const readNext = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const { reference, resolve, reject } = next
        await source.get(reference, limit).then(resolve, reject)
      }
    }
    await Promise.all(Array.from({ length: Math.min(maxConcurrent, some.length) }, readNext))
  }

  async function readAll(some: readonly Waiting[]): Promise<void> {
    let source: Source | undefined
    try {
      source = await open()
      await readTogether(source, some)
    } catch (error) {
      // Those that were read are settled already.
      for (const { reject } of some) reject(error)
    } finally {
      await source?.close().catch(() => {})
    }
  }

  function start(): void {
    isCollecting = false
    while (waiting.length > 0) {
      const some = waiting.slice(0, maxTogether)
      waiting = waiting.slice(maxTogether)
      void readAll(some)
    }
  }

  return {
    read(reference: ServerReference): Promise<Reading> {
      return new Promise((resolve, reject) => {
        waiting.push({ reference, resolve, reject })
        if (isCollecting) return
        isCollecting = true
        setTimeout(start, collectTime)
      })
    },
  }
}
