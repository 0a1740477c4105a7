import { origins, type TagOrigin } from '../../domain/inventory/metadata.ts'
import { indexedMetadata } from '../../domain/inventory/own-fields.ts'
import type { Server } from '@muster/contract'

/** The stored origin of a tag. A source tag that a Muster tag with the same key hides has its own value. */
export const storedOrigins = { own: 0, source: 1, notes: 2, overruled: 3 } as const

/** By where a tag comes from, the stored origins that it can have. */
export const originOf: Readonly<Record<TagOrigin, readonly number[]>> = {
  own: [storedOrigins.own],
  source: [storedOrigins.source, storedOrigins.overruled],
  notes: [storedOrigins.notes],
}

/** A key in a query. Without a prefix it matches the Muster tag or, if there is none, the source tag. */
export function readTagKey(key: string): {
  readonly bare: string
  readonly origins: readonly number[]
} {
  for (const [origin, prefix] of Object.entries(origins)) {
    if (key.startsWith(prefix)) {
      return { bare: key.slice(prefix.length), origins: originOf[origin as TagOrigin] }
    }
  }
  return { bare: key, origins: [storedOrigins.own, storedOrigins.source] }
}

export interface StoredTag {
  readonly origin: number
  readonly key: string
  readonly value: string
}

const prefixes = Object.entries(origins) as [TagOrigin, string][]

/** The rows of `server_tags` for a server. */
export function storedTags({ metadata }: Pick<Server, 'metadata'>): readonly StoredTag[] {
  const tags: StoredTag[] = []
  for (const [told, value] of indexedMetadata(metadata)) {
    for (const [origin, prefix] of prefixes) {
      if (!told.startsWith(prefix)) continue
      const key = told.slice(prefix.length)
      const isOverruled = origin === 'source' && Object.hasOwn(metadata, origins.own + key)
      tags.push({
        origin: isOverruled ? storedOrigins.overruled : storedOrigins[origin],
        key,
        value,
      })
    }
  }
  return tags
}
