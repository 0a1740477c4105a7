import { LRUCache } from 'lru-cache'
import type { IdentityVersion } from './ports.ts'

/**
 * Caches values for the current version of the identity data. While the version is unknown nothing is
 * cached: a stale permission is a defect, a slow one is not.
 */
export function createVersionedCache<Value extends object>(
  identityVersion: IdentityVersion,
  capacity: number,
) {
  type Load = () => Promise<Value | undefined>
  // Bounded by size rather than by number: the latter reserves memory for all entries at once.
  const entries = new LRUCache<string, { version: number; value: Value }>({
    maxSize: capacity,
    sizeCalculation: () => 1,
  })
  const reads = new Map<string, { version: number; reading: Promise<Value | undefined> }>()

  /** The cached value, without reading. */
  function peek(key: string): Value | undefined {
    const entry = entries.get(key)
    return entry !== undefined && entry.version === identityVersion.current()
      ? entry.value
      : undefined
  }

  async function readNow(key: string, version: number, load: Load) {
    const value = await load()
    if (value !== undefined) entries.set(key, { version, value })
    return value
  }

  /** Concurrent misses of one key at one version share one read. */
  function get(key: string, load: Load): Promise<Value | undefined> {
    const known = peek(key)
    if (known !== undefined) return Promise.resolve(known)
    // The version from before the read: a change during the read makes the entry stale, never
    // wrongly fresh.
    const version = identityVersion.current()
    if (version === undefined) return load()
    const underway = reads.get(key)
    if (underway?.version === version) return underway.reading
    const reading = readNow(key, version, load).finally(() => {
      if (reads.get(key)?.reading === reading) reads.delete(key)
    })
    reads.set(key, { version, reading })
    return reading
  }

  return { peek, get }
}
