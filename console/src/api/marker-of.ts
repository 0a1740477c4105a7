/** The marker in the link to the next page. */
export function markerOf(next: string | null): string | undefined {
  if (next === null) return undefined
  return new URL(next, 'http://here').searchParams.get('marker') ?? undefined
}

/** The marker of the next page in the Link header. */
export const nextMarker = (headers: Headers): string | undefined => {
  const [, next = null] = /<([^<>]*)>/.exec(headers.get('link') ?? '') ?? []
  return markerOf(next)
}
