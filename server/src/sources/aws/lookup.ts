/** Resources that instances refer to by id. */
export interface Lookup<Thing> {
  /** Loads the resources that are not loaded yet. */
  load(ids: Iterable<string | undefined>, signal: AbortSignal): Promise<void>
  /** Undefined if it does not exist or is not visible. */
  get(id: string | undefined): Thing | undefined
}

/** The maximum of values in one EC2 filter. */
const maxInFilter = 200

/** Loads resources in chunks and caches them by id. */
export function createLookup<Thing>(
  find: (ids: string[], signal: AbortSignal) => Promise<readonly Thing[]>,
  idOf: (thing: Thing) => string | undefined,
  batch = maxInFilter,
): Lookup<Thing> {
  const known = new Map<string, Thing>()
  return {
    async load(ids, signal) {
      const missing = new Set<string>()
      for (const id of ids) if (id !== undefined && !known.has(id)) missing.add(id)
      const list = [...missing]
      for (let start = 0; start < list.length; start += batch) {
        for (const thing of await find(list.slice(start, start + batch), signal)) {
          known.set(idOf(thing) ?? '', thing)
        }
      }
    },
    get: (id) => (id === undefined ? undefined : known.get(id)),
  }
}
