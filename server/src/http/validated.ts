import { findKnownTag } from '@muster/contract'

interface Tagged {
  readonly body: Buffer | readonly Buffer[]
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  readonly isStillRight?: () => boolean
}

/** The answer, or that it is the one the caller has. */
export function validated(
  { body, etag, headers, isStillRight }: Tagged,
  ifNoneMatch: string | undefined,
) {
  const rest = isStillRight && { isStillRight }
  const known = findKnownTag(etag, ifNoneMatch)
  return known === undefined
    ? { status: 200, headers: { ...headers, etag }, body, ...rest }
    : { status: 304, headers: { ...headers, etag: known }, ...rest }
}
