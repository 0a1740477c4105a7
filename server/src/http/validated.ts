import { findKnownTag } from '@muster/contract'

interface Tagged {
  readonly body: Buffer | readonly Buffer[]
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  readonly isFresh?: () => boolean
}

/** The answer, or that it is the one the caller has. */
export function validated(
  { body, etag, headers, isFresh }: Tagged,
  ifNoneMatch: string | undefined,
) {
  const rest = isFresh && { isFresh }
  const known = findKnownTag(etag, ifNoneMatch)
  return known === undefined
    ? { status: 200, headers: { ...headers, etag }, body, ...rest }
    : { status: 304, headers: { ...headers, etag: known }, ...rest }
}
