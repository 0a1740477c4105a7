/** An entry of one of the caches, in a list of all entries. */
interface Entry {
  readonly size: number
  /** Removes it from its cache. */
  readonly drop: () => void
  /** Whether it was used since it was last considered for removal. */
  isUsed: boolean
  older: Entry
  newer: Entry
}

/** What the metrics show about a cache. */
interface CacheCounts {
  hits: number
  misses: number
  entries: number
  bytes: number
}

/** Estimated bytes of an entry beside its key and its value. */
const overhead = 200

/**
 * The memory that all caches of a process share. When it is full, entries leave from the old end of the
 * list, whichever cache they belong to. One that was used meanwhile moves to the new end instead, so that
 * a hit need not change the list (the CLOCK algorithm).
 */
export function createCacheMemory(limit: number) {
  // A circular list: its end is newer than the newest and older than the oldest entry.
  const end = { size: 0, isUsed: false, drop() {} } as unknown as Entry
  end.older = end
  end.newer = end
  const counts = new Map<string, CacheCounts>()
  let used = 0
  const isFull = () => used > limit

  function unlink(entry: Entry): void {
    entry.older.newer = entry.newer
    entry.newer.older = entry.older
  }

  function removeOne(): void {
    let oldest = end.newer
    for (; oldest.isUsed; oldest = end.newer) {
      oldest.isUsed = false
      unlink(oldest)
      link(oldest)
    }
    oldest.drop()
  }

  function link(entry: Entry): void {
    entry.older = end.older
    entry.newer = end
    end.older.newer = entry
    end.older = entry
  }

  return {
    limit,
    used: () => used,
    /** The counts of all caches with this name. */
    countsOf(name: string): CacheCounts {
      const known = counts.get(name) ?? { hits: 0, misses: 0, entries: 0, bytes: 0 }
      counts.set(name, known)
      return known
    },
    counts: (): ReadonlyMap<string, Readonly<CacheCounts>> => counts,
    add(entry: Entry): void {
      link(entry)
      used += entry.size
      while (isFull()) removeOne()
    },
    remove(entry: Entry): void {
      unlink(entry)
      used -= entry.size
    },
  }
}
export type CacheMemory = ReturnType<typeof createCacheMemory>

interface CacheEntry<Version, Value> extends Entry {
  readonly version: Version
  readonly value: Value
}

/** Larger values would displace most of the others. */
const largestShare = 1 / 4

/**
 * A cache of values, each valid for one version of the data that it was made from: a key with another
 * version is a miss. An undefined version means that the current one is not known. Then nothing is
 * read from the cache or stored in it, because a slow answer is better than an outdated one.
 */
export function createCache<Key extends string | number, Version, Value>(
  memory: CacheMemory,
  /** For the metrics. */
  name: string,
  /** The bytes of a value, estimated. */
  sizeOf: (value: Value) => number,
) {
  const entries = new Map<Key, CacheEntry<Version, Value>>()
  const counts = memory.countsOf(name)
  const reads = new Map<Key, { version: Version; reading: Promise<Value | undefined> }>()

  function get(key: Key, version: Version | undefined): Value | undefined {
    const entry = entries.get(key)
    if (entry === undefined || version === undefined || entry.version !== version) {
      counts.misses += 1
      return undefined
    }
    counts.hits += 1
    entry.isUsed = true
    return entry.value
  }

  function remove(key: Key): void {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    memory.remove(entry)
    counts.entries -= 1
    counts.bytes -= entry.size
  }

  function set(key: Key, version: Version | undefined, value: Value): void {
    remove(key)
    const size = sizeOf(value) + (typeof key === 'string' ? 2 * key.length : 0) + overhead
    if (version === undefined || size > memory.limit * largestShare) return
    const drop = () => remove(key)
    const entry = { size, version, value, isUsed: false, drop } as CacheEntry<Version, Value>
    entries.set(key, entry)
    counts.entries += 1
    counts.bytes += size
    memory.add(entry)
  }

  async function readNow(key: Key, version: Version, read: () => Promise<Value | undefined>) {
    const value = await read()
    if (value !== undefined) set(key, version, value)
    return value
  }

  return {
    get,
    set,
    /**
     * The cached value, or what `read` returns. Concurrent misses share one read. The version is that
     * from before the read, so that a change during the read invalidates the value.
     */
    load(
      key: Key,
      version: Version | undefined,
      read: () => Promise<Value | undefined>,
    ): Promise<Value | undefined> {
      const known = get(key, version)
      if (known !== undefined) return Promise.resolve(known)
      if (version === undefined) return read()
      const underway = reads.get(key)
      if (underway?.version === version) return underway.reading
      const reading = readNow(key, version, read).finally(() => {
        if (reads.get(key)?.reading === reading) reads.delete(key)
      })
      reads.set(key, { version, reading })
      return reading
    },
  }
}
export type Cache<Key extends string | number, Version, Value> = ReturnType<
  typeof createCache<Key, Version, Value>
>
