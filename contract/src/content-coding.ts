/** Content codings in order of preference, for clients that accept several equally. */
export const contentCodings = ['zstd', 'br', 'gzip'] as const
export type ContentCoding = (typeof contentCodings)[number]

/** RFC 9110: 0 to 1 with at most three decimals. Anything else counts as 0. */
const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** The weights of an `Accept-Encoding` header, by the coding's name in lower case. */
function readWeights(header: string): ReadonlyMap<string, number> {
  const offers = header.toLowerCase().split(',')
  return new Map(
    offers.map((offer) => {
      const [name = '', ...parameters] = offer.split(';').map((part) => part.trim())
      const [first] = parameters
      const value = first === undefined ? 1 : Number(weight.exec(first)?.[1] ?? 0)
      return [name === 'x-gzip' ? 'gzip' : name, value]
    }),
  )
}

/**
 * Chooses the coding for a client that sent this `Accept-Encoding`; undefined for none. `*` counts as none:
 * the Cloudpods client sends it but does not decode.
 */
export function chooseCoding(
  header: string | undefined,
  available: readonly ContentCoding[] = contentCodings,
): ContentCoding | undefined {
  if (header === undefined) return undefined
  const weights = readWeights(header)
  const weightOf = (name: string) => weights.get(name) ?? 0
  const [best] = available.toSorted((a, b) => weightOf(b) - weightOf(a))
  if (best === undefined || weightOf(best) === 0) return undefined
  return weightOf(best) < weightOf('identity') ? undefined : best
}

/** The ETag of a coded body. Other bytes need another ETag. */
export const codedTag = (etag: string, coding: ContentCoding): string =>
  `${etag.slice(0, -1)}-${coding}"`

/**
 * Finds the ETag in `If-None-Match` under which the client has cached this content, in any coding. The 304
 * repeats that ETag.
 */
export function findKnownTag(etag: string, ifNoneMatch: string | undefined): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return etag
  const sent = new Set(ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, '')))
  const own = [etag, ...contentCodings.map((coding) => codedTag(etag, coding))]
  return own.find((tag) => sent.has(tag))
}
