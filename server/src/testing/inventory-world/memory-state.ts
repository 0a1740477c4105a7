import type { SourceState, StateEntry } from '../../domain/sources/source.ts'

/** What a source stores, in memory instead of the database. */
export function createMemoryState(): SourceState {
  const entries = new Map<string, StateEntry>()
  let latest = 0
  return {
    get: async (keys) => keys.flatMap((key) => entries.get(key) ?? []),
    changes: async (after) =>
      [...entries.values()]
        .filter(({ version }) => version > after)
        .toSorted((a, b) => a.version - b.version),
    async put(entry) {
      if ((entries.get(entry.key)?.version ?? 0) !== entry.version) return false
      latest += 1
      entries.set(entry.key, { ...entry, version: latest })
      return true
    },
  }
}
