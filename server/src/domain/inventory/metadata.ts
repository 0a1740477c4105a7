import type { Server } from '@muster/contract'

/** The origins of metadata keys, with their prefixes. */
export const origins = { own: 'user:', source: 'ext:', notes: 'sys:' } as const
export type TagOrigin = keyof typeof origins

type Tags = Readonly<Record<string, string>>

/** An object without a prototype, so that the key `__proto__` is a key like any other. */
const plainMap = (entries: Iterable<readonly [string, string]>): Record<string, string> =>
  Object.fromEntries(entries)

/** All tags with their prefixes, sorted by key. */
export function metadataOf(tags: Readonly<Record<TagOrigin, Tags>>): Server['metadata'] {
  const entries: (readonly [string, string])[] = []
  for (const origin of Object.keys(origins) as TagOrigin[]) {
    for (const [key, value] of Object.entries(tags[origin])) {
      entries.push([origins[origin] + key, value])
    }
  }
  return plainMap(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The same metadata with these notes of Muster's added or replaced. */
export const withNotes = (metadata: Server['metadata'], notes: Tags): Server['metadata'] =>
  metadataOf({
    own: tagsOf(metadata, 'own'),
    source: tagsOf(metadata, 'source'),
    notes: { ...tagsOf(metadata, 'notes'), ...notes },
  })

/** The keys of one origin, without their prefix. */
export const tagsOf = (metadata: Server['metadata'], origin: TagOrigin): Record<string, string> =>
  plainMap(
    Object.entries(metadata)
      .filter(([key]) => key.startsWith(origins[origin]))
      .map(([key, value]) => [key.slice(origins[origin].length), value] as const),
  )
