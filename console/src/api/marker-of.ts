/** Where the next page begins, from the link to it. */
export function markerOf(next: string | null): string | undefined {
  if (next === null) return undefined
  return new URL(next, 'http://here').searchParams.get('marker') ?? undefined
}
