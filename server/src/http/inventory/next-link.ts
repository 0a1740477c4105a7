/** Parameters that a marker takes the place of. */
const replaced = /^(?:marker|offset|paging_marker(?:\.\d+)?)$/

/** What would end the address in the header too soon. */
const delimiters = /[<>"]/g

/** The name of a parameter, however it is spelled. Who asked could be understood, so it can be decoded. */
const nameOf = (pair: string) => decodeURIComponent(pair.split('=', 1)[0] ?? '')

const kept = new WeakMap<object, { readonly url: string; readonly link: string }>()

/** The link of a page that is asked for again and again is made once. */
export function linkOf(
  page: { readonly marker: string | undefined },
  baseUrl: string,
  url: string,
): string | undefined {
  const { marker } = page
  if (marker === undefined) return undefined
  const known = kept.get(page)
  if (known?.url === url) return known.link
  const link = nextLink(baseUrl, url, marker)
  kept.set(page, { url, link })
  return link
}

/** The header that leads on: the same question, after this page. */
export function nextLink(baseUrl: string, url: string, marker: string): string {
  const [path = '', ...rest] = url.split('?')
  const query = rest.join('?').replaceAll(delimiters, encodeURIComponent)
  const others = query.split('&').filter((pair) => pair !== '' && !replaced.test(nameOf(pair)))
  return `<${baseUrl}${path}?${[...others, `marker=${marker}`].join('&')}>; rel="next"`
}
