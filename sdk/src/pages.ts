import type { Answer } from './auth/auth.ts'

/** The query of the next page, where there is one, however the list tells of it. */
export function findNext({ body, headers }: Answer<unknown>): Record<string, string[]> | undefined {
  const { links } = body as { readonly links?: { readonly next?: string | null } }
  const [, linked] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? []
  const next = links?.next ?? linked
  if (typeof next !== 'string') return undefined
  // Only its query: the address may be another one from where the server stands.
  const { searchParams } = new URL(next, 'http://here')
  return Object.fromEntries(
    [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]),
  )
}

/** The list in a page: the one of its values that is one. */
export const itemsOf = (body: unknown): readonly unknown[] =>
  Object.values(body as object).find((value) => Array.isArray(value)) ?? []
