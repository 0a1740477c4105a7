/** Parameters for the start of a page. */
const startParameter = /^(?:marker|offset|paging_marker(?:\.\d+)?)$/

/** Characters that would end the URL in a `Link` header too early. */
const delimiters = /[<>"]/g

const nameOf = (pair: string) => decodeURIComponent(pair.split('=', 1)[0] ?? '')

/** Where the next page begins: after the item of a marker, or at an offset. */
type Start = { readonly marker: string } | { readonly offset: number }

/** The URL of the same list with another start. */
export function addressFrom(address: string, start: Start): string {
  const [path = '', ...rest] = address.split('?')
  const query = rest.join('?').replaceAll(delimiters, encodeURIComponent)
  const others = query
    .split('&')
    .filter((pair) => pair !== '' && !startParameter.test(nameOf(pair)))
  const position =
    'marker' in start ? `marker=${encodeURIComponent(start.marker)}` : `offset=${start.offset}`
  return `${path}?${[...others, position].join('&')}`
}

/** The `Link` header to the next page. No header after the last page. */
export const nextLink = (address: string, start: Start | undefined): { readonly link?: string } =>
  start ? { link: `<${addressFrom(address, start)}>; rel="next"` } : {}

/** The start of the next page of a list that is paged by offset. */
export function nextOffset(page: {
  readonly limit: number
  readonly offset: number
  readonly total: number
}): Start | undefined {
  const offset = page.offset + page.limit
  return page.limit === 0 || offset >= page.total ? undefined : { offset }
}
