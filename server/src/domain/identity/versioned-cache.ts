import { LRUCache } from 'lru-cache'
import type { IdentityVersion } from './ports.ts'

/**
 * Remembers what was read at the present version of the identity data and forgets it with the next
 * one. Out of touch with the news it remembers nothing: a stale yes is a defect, a slow one is not.
 */
export function createVersionedCache<Value extends object>(
  identityVersion: IdentityVersion,
  capacity: number,
) {
  type Load = () => Promise<Value | undefined>
  const entries = new LRUCache<string, { version: number; value: Value }>({ max: capacity })
  const reads = new Map<string, { version: number; reading: Promise<Value | undefined> }>()

  /** What is known of `key` now, without reading. */
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

  /** Many who miss the same thing at the same version wait for one read of it. */
  function get(key: string, load: Load): Promise<Value | undefined> {
    const known = peek(key)
    if (known !== undefined) return Promise.resolve(known)
    // Taken before reading: a change during the read makes the entry old, never wrongly fresh.
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
