import type { Answer } from './auth/auth.ts'

/** The query of the next page, from the `links` in the body or the Link header. */
export function findNext({ body, headers }: Answer<unknown>): Record<string, string[]> | undefined {
  const { links } = body as { readonly links?: { readonly next?: string | null } }
  const [, linked] = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? []
  const next = links?.next ?? linked
  if (typeof next !== 'string') return undefined
  // Only the query: the server may know itself by another address.
  const { searchParams } = new URL(next, 'http://here')
  return Object.fromEntries(
    [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]),
  )
}

/** The items of a page: the only array in its body. */
export const itemsOf = (body: unknown): readonly unknown[] =>
  Object.values(body as object).find((value) => Array.isArray(value)) ?? []
