import {
  createCache as createRealCache,
  createCacheMemory,
  type CacheMemory,
} from '../server/src/domain/cache.ts'
import { readCachesOff } from './switch-caches.ts'

export { createCacheMemory }

let cachesOff = readCachesOff()
setInterval(() => {
  cachesOff = readCachesOff()
}, 50).unref()

/** A cache that stores nothing while it is turned off. */
export function createCache<Key extends string | number, Version, Value>(
  memory: CacheMemory,
  name: string,
  sizeOf: (value: Value) => number,
): ReturnType<typeof createRealCache<Key, Version, Value>> {
  const real = createRealCache<Key, Version, Value>(memory, name, sizeOf)
  // Every value is too large for it.
  const empty = createRealCache<Key, Version, Value>(createCacheMemory(0), name, sizeOf)
  const current = () => (cachesOff.has(name) ? empty : real)
  return {
    get: (key, version) => current().get(key, version),
    set: (key, version, value) => current().set(key, version, value),
    load: (key, version, read) => current().load(key, version, read),
  }
}
