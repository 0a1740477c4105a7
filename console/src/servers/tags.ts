import type { Server } from '@muster/contract'

export interface Tag {
  /** Without its prefix. */
  readonly key: string
  readonly value: string
}

export const prefixes = { own: 'user:', source: 'ext:', notes: 'sys:' } as const
export type TagOrigin = keyof typeof prefixes

/** The tags of one origin, in the order of their keys. */
export function tagsOf(metadata: Server['metadata'], origin: TagOrigin): readonly Tag[] {
  const prefix = prefixes[origin]
  return Object.entries(metadata)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, value]) => ({ key: key.slice(prefix.length), value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** The value for a `tag:` filter; undefined if the key cannot be used in a query. */
export function tagTerm(origin: TagOrigin, { key, value }: Tag): string | undefined {
  if (key.includes('=')) return undefined
  return `${origin === 'own' ? '' : prefixes[origin]}${key}=${value}`
}

/** Who owns a server, by its own tag or that of the source; empty if neither names somebody. */
export const ownerOf = (metadata: Server['metadata']): string =>
  metadata[`${prefixes.own}owner`] ?? metadata[`${prefixes.source}owner`] ?? ''
