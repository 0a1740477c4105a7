/** Things that servers refer to by id. */
export interface Lookup<Thing> {
  /** Asks for those that are not known yet. */
  load(ids: Iterable<string | undefined>, signal: AbortSignal): Promise<void>
  /** Undefined where there is no such thing any more, or not for us. */
  get(id: string | undefined): Thing | undefined
}

/** As many values as EC2 takes in one filter. */
const maxInFilter = 200

/** Asks for each thing until there is one, many at a time. */
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
