/** The codings in which answers are compressed. Of those that a client likes equally, the first is used. */
export const contentCodings = ['zstd', 'br', 'gzip'] as const
export type ContentCoding = (typeof contentCodings)[number]

/** RFC 9110: 0 to 1 with at most three decimals. Anything else is no consent. */
const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** What a client says of each coding, by its name in lower case. */
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
 * Chooses the coding for a client that sent this `Accept-Encoding`; undefined for none. `*` chooses none:
 * Cloudpods' client sends it and does not decode.
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

/** The ETag of the same content in a coding: other bytes need another one. */
export const codedTag = (etag: string, coding: ContentCoding): string =>
  `${etag.slice(0, -1)}-${coding}"`

/**
 * Finds the ETag in `If-None-Match` by which the client has this content already, in whatever coding. It is
 * the one to answer with, since it names what the client has stored.
 */
export function findKnownTag(etag: string, ifNoneMatch: string | undefined): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return etag
  const sent = new Set(ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, '')))
  const own = [etag, ...contentCodings.map((coding) => codedTag(etag, coding))]
  return own.find((tag) => sent.has(tag))
}
