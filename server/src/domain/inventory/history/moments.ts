import { createBoundedQueue } from '../../bounded-queue.ts'
import type { Clock } from '../../clock.ts'
import { PlatformError } from '../../error.ts'
import { PendingMoment } from './pending-moment.ts'
import { requireCommit, type RecordedCommits } from './require-commit.ts'

/** The inventory as it was at one moment. */
export interface OpenMoment<Inventory> {
  readonly inventory: Inventory
  close(): Promise<void>
}

/** The inventory after a commit. */
export interface PastVersion<Inventory> {
  readonly commit: number
  readonly inventory: Inventory
}

export interface MomentSource<Inventory> extends RecordedCommits {
  /** Whether the current inventory can be copied as fast as a moment. */
  readonly isCopiedFast: boolean
  newestCommit(): Promise<number>
  /** The first commit after which all changes are stored. */
  oldestCommit(): Promise<number>
  /** How often values were removed from the past. Moments that were built before may have them. */
  redactions(): Promise<number>
  /** Builds the inventory as it was after a commit. */
  build(
    commit: number,
    /** The moment to copy, instead of the current inventory. */
    base: PastVersion<Inventory> | undefined,
    signal: AbortSignal,
    /** Called with numbers between 0 and 1. */
    onProgress: (progress: number) => void,
  ): Promise<OpenMoment<Inventory>>
}

/** A moment, and who reads it. It is not removed before all of them have released it. */
interface Entry<Inventory> {
  readonly commit: number
  readonly opening: Promise<OpenMoment<Inventory>>
  readonly readers: string[]
  isOpen: boolean
  progress: number
  lastUsed: number
}

interface Limits {
  /** Each takes as much disk as the database. */
  readonly mostMoments: number
  /** A moment that nobody has read for so many milliseconds is removed. */
  readonly maxIdle: number
}

interface Reader {
  readonly user: string
  /** Milliseconds after which to throw `PendingMoment`; undefined to wait until the moment is built. */
  readonly patience: number | undefined
}

const limitsByDefault: Limits = { mostMoments: 4, maxIdle: 900_000 }
const mostOfUser = 2
const maxWaiting = 4
/** Reads a moment while it is copied. */
const copying = ''
/** The part of the progress that a slow copy of the current inventory is, if it is built first. */
const copyShare = 0.9

const tooMany = (reason: string) =>
  new PlatformError('TooManyRequests', `${reason} Try again shortly.`, { retryAfter: 5 })

/** Builds moments one at a time, shares them between users, and removes those that are not used. */
export function createMoments<Inventory>(
  source: MomentSource<Inventory>,
  clock: Clock,
  { mostMoments, maxIdle }: Limits = limitsByDefault,
) {
  const entries = new Map<number, Entry<Inventory>>()
  const stop = new AbortController()
  const builds = createBoundedQueue({
    name: 'moments of the past that are being prepared',
    capacity: 1,
    maxWaiting,
    maxWaitingPerKey: 1,
  })

  /** Those that no other request may read. */
  const forgotten = new Set<Entry<Inventory>>()

  async function remove(entry: Entry<Inventory>): Promise<void> {
    const { commit, opening } = entry
    if (!forgotten.delete(entry) && entries.get(commit) === entry) entries.delete(commit)
    const moment = await opening.catch(() => undefined)
    await moment?.close()
  }

  /** A moment that could not be built is removed, and so is one that is forgotten when nobody reads it. */
  async function settle(entry: Entry<Inventory>): Promise<void> {
    try {
      await entry.opening
      entry.isOpen = true
      if (!forgotten.has(entry) || entry.readers.length > 0) return
    } catch {
      // Those who wait for it are told.
    }
    await remove(entry)
  }

  const opened = () => [...entries.values()].filter(({ isOpen }) => isOpen)

  /** All but the newest one, which stays to be copied if the current inventory is slow to copy. */
  function removable(): Entry<Inventory>[] {
    const byCommit = opened().toSorted((a, b) => b.commit - a.commit)
    return source.isCopiedFast ? byCommit : byCommit.slice(1)
  }

  const unread = (some: readonly Entry<Inventory>[]) =>
    some.filter(({ readers }) => readers.length === 0).toSorted((a, b) => a.lastUsed - b.lastUsed)

  /** Removes the moment that was not read for the longest time. */
  async function makeRoom(): Promise<void> {
    const some = removable()
    if (some.length < mostMoments) return
    const [oldest] = unread(some)
    if (!oldest) throw tooMany(`${mostMoments} other moments of the past are being read.`)
    await remove(oldest)
  }

  function hold(entry: Entry<Inventory>, user: string): () => void {
    entry.readers.push(user)
    let isReleased = false
    return (): void => {
      if (isReleased) return
      isReleased = true
      entry.readers.splice(entry.readers.indexOf(user), 1)
      entry.lastUsed = performance.now()
      if (forgotten.has(entry) && entry.readers.length === 0) void remove(entry)
    }
  }

  type Report = (progress: number) => void
  type Build = (report: Report) => Promise<OpenMoment<Inventory>>

  /** Moments from before the oldest commit lack changes that are purged now. */
  async function complete(): Promise<Entry<Inventory>[]> {
    const oldest = await source.oldestCommit()
    return opened().filter(({ commit }) => commit >= oldest)
  }

  /** The moment that is nearest to a commit; undefined if the current inventory is nearer, or must be copied. */
  async function nearestTo(commit: number, report: Report): Promise<Entry<Inventory> | undefined> {
    const now = await source.newestCommit()
    const distance = (entry: Entry<Inventory>) => Math.abs(entry.commit - commit)
    const [nearest] = (await complete()).toSorted((a, b) => distance(a) - distance(b))
    if (source.isCopiedFast)
      return nearest && distance(nearest) < now - commit ? nearest : undefined
    if (nearest || now <= commit) return nearest
    return addEntry(now, (reportCopy) =>
      source.build(now, undefined, stop.signal, (progress) => {
        reportCopy(progress)
        report(progress * copyShare)
      }),
    )
  }

  async function build(commit: number, report: Report): Promise<OpenMoment<Inventory>> {
    await makeRoom()
    const base = await nearestTo(commit, report)
    if (!base) return await source.build(commit, undefined, stop.signal, report)
    const start = base.isOpen ? 0 : copyShare
    const release = hold(base, copying)
    try {
      const { inventory } = await base.opening
      return await source.build(
        commit,
        { commit: base.commit, inventory },
        stop.signal,
        (progress) => report(start + progress * (1 - start)),
      )
    } finally {
      release()
    }
  }

  function addEntry(commit: number, run: Build): Entry<Inventory> {
    const entry: Entry<Inventory> = {
      commit,
      opening: Promise.resolve().then(() => run((progress) => (entry.progress = progress))),
      readers: [],
      isOpen: false,
      progress: 0,
      lastUsed: performance.now(),
    }
    // A request that waits for the same moment builds it, too. One of them stays.
    const replaced = entries.get(commit)
    if (replaced) forgotten.add(replaced)
    entries.set(commit, entry)
    void settle(entry)
    return entry
  }

  const open = (commit: number, user: string): Entry<Inventory> =>
    addEntry(commit, (report) => builds.run(() => build(commit, report), { key: user }))

  function requireFew(commit: number, user: string): void {
    const others = [...entries.values()].filter(
      (entry) => entry.commit !== commit && entry.readers.includes(user),
    )
    if (others.length >= mostOfUser) {
      throw tooMany(`You are reading ${mostOfUser} other moments of the past.`)
    }
  }

  async function withPatience(time: number, entry: Entry<Inventory>, patience: number) {
    // A timer of no time may fire after a quick build, and the answer would depend on luck.
    if (patience === 0 && !entry.isOpen) throw new PendingMoment(time, entry.progress)
    const late = AbortSignal.timeout(patience)
    const timedOut = new Promise<never>((_, reject) => {
      late.addEventListener('abort', () => reject(new PendingMoment(time, entry.progress)))
    })
    return await Promise.race([entry.opening, timedOut])
  }

  const timer = setInterval(() => {
    const isOld = ({ lastUsed }: Entry<Inventory>) => performance.now() - lastUsed > maxIdle
    for (const entry of unread(removable()).filter(isOld)) void remove(entry)
    // Values that were removed from the past must not stay in files, also if nobody asks for a moment again. While
    // the database cannot be reached, the next time does it.
    forgetRedacted().catch(() => {})
  }, maxIdle / 10).unref()

  let knownRedactions: number | undefined

  /** Later questions build their moments again. Those that are being read are removed afterwards. */
  async function forgetRedacted(): Promise<void> {
    const redactions = await source.redactions()
    if (redactions === knownRedactions) return
    knownRedactions = redactions
    for (const entry of unread(opened())) void remove(entry)
    for (const entry of entries.values()) forgotten.add(entry)
    entries.clear()
  }

  return {
    /** The last commit at a time. Refused before the first one. */
    commitAt: (time: number) => requireCommit(source, time, clock(), 'as_of'),

    /** The inventory at a time. Waits until it is built. It stays until it is released. */
    async at(time: number, { user, patience }: Reader) {
      const commit = await requireCommit(source, time, clock(), 'as_of')
      await forgetRedacted()
      requireFew(commit, user)
      const entry = entries.get(commit) ?? open(commit, user)
      const release = hold(entry, user)
      try {
        const opening = patience === undefined ? entry.opening : withPatience(time, entry, patience)
        return { inventory: (await opening).inventory, release }
      } catch (error) {
        release()
        throw error
      }
    },

    async close(): Promise<void> {
      clearInterval(timer)
      stop.abort()
      await Promise.allSettled([...entries.values(), ...forgotten].map(remove))
    },
  }
}
