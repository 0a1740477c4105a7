interface Page {
  readonly limit: number
  readonly offset: number
  readonly total: number
}

/** The next page of a list that is paged by offset, in a header; nothing after the last. */
export function nextOffset(address: string, { limit, offset, total }: Page) {
  const next = offset + limit
  if (limit === 0 || next >= total) return {}
  const url = new URL(address)
  url.searchParams.set('offset', String(next))
  return { headers: { link: `<${url.href}>; rel="next"` } }
}
