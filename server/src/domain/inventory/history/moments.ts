import { createBoundedQueue } from '../../bounded-queue.ts'
import type { Clock } from '../../clock.ts'
import { badField, PlatformError } from '../../error.ts'
import { timestamp } from '../../timestamp.ts'

/** The inventory as it was at one moment. */
export interface OpenMoment<Inventory> {
  readonly inventory: Inventory
  isInUse(): boolean
  /** When it was last used, in milliseconds by `performance.now`. */
  lastUsed(): number
  close(): Promise<void>
}

export interface MomentSource<Inventory> {
  /** The time of the first recorded commit; undefined before it. */
  firstTime(): Promise<number | undefined>
  /** The last commit at this time or earlier; undefined before the first. */
  commitAt(time: number): Promise<number | undefined>
  /** Builds the inventory as it was after a commit. */
  build(commit: number, signal: AbortSignal): Promise<OpenMoment<Inventory>>
}

interface Limits {
  /** Each takes as much disk as the database. */
  readonly mostMoments: number
  /** After this many milliseconds without a query a moment is removed. */
  readonly maxIdle: number
}

const limitsByDefault: Limits = { mostMoments: 4, maxIdle: 900_000 }
const maxWaiting = 4

/** Builds moments one at a time, shares them between users, and removes those that are not used. */
export function createMoments<Inventory>(
  source: MomentSource<Inventory>,
  clock: Clock,
  { mostMoments, maxIdle }: Limits = limitsByDefault,
) {
  const moments = new Map<number, Promise<OpenMoment<Inventory>>>()
  const opened = new Map<number, OpenMoment<Inventory>>()
  const stop = new AbortController()
  const builds = createBoundedQueue({
    name: 'moments of the past that are being prepared',
    capacity: 1,
    maxWaiting,
    maxWaitingPerKey: 1,
  })

  async function remove(commit: number): Promise<void> {
    const moment = opened.get(commit)
    moments.delete(commit)
    opened.delete(commit)
    await moment?.close()
  }

  /** Removes the moment that was not used for the longest time. */
  async function makeRoom(): Promise<void> {
    if (opened.size < mostMoments) return
    const [oldest] = [...opened]
      .filter(([, moment]) => !moment.isInUse())
      .toSorted(([, a], [, b]) => a.lastUsed() - b.lastUsed())
    if (!oldest) {
      throw new PlatformError(
        'TooManyRequests',
        `Other moments of the past are in use: at most ${mostMoments} at a time. Try again shortly.`,
        { retryAfter: 5 },
      )
    }
    await remove(oldest[0])
  }

  async function build(commit: number, user: string): Promise<OpenMoment<Inventory>> {
    const work = async () => {
      await makeRoom()
      const moment = await source.build(commit, stop.signal)
      opened.set(commit, moment)
      return moment
    }
    return await builds.run(work, { key: user })
  }

  async function removeUnused(): Promise<void> {
    for (const [commit, moment] of opened) {
      if (performance.now() - moment.lastUsed() > maxIdle) await remove(commit)
    }
  }
  const timer = setInterval(() => void removeUnused(), maxIdle / 10).unref()

  return {
    /** The inventory at a time. Waits until it is built. */
    async at(time: number, user: string): Promise<Inventory> {
      const commit = await source.commitAt(time)
      if (commit === undefined) {
        const first = await source.firstTime()
        throw badField(
          'as_of',
          first === undefined || first > clock()
            ? 'is before the first recorded change: none is recorded yet'
            : `is before the first recorded change, at ${timestamp(first)}`,
        )
      }
      let moment = moments.get(commit)
      if (!moment) {
        moment = build(commit, user)
        moments.set(commit, moment)
        moment.catch(() => moments.delete(commit))
      }
      return (await moment).inventory
    },

    async close(): Promise<void> {
      clearInterval(timer)
      stop.abort()
      await Promise.allSettled(moments.values())
      for (const commit of opened.keys()) await remove(commit)
    },
  }
}
