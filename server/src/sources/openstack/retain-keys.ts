/** Removes all other entries from a cache. */
export function retainKeys(cache: Map<string, unknown>, keys: Iterable<string>): void {
  const retained = new Set(keys)
  for (const key of cache.keys()) if (!retained.has(key)) cache.delete(key)
}
