import { findKnownTag } from '@muster/contract'

interface Tagged {
  readonly body: Buffer | readonly Buffer[]
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  readonly isFresh?: () => boolean
}

/** The response, or 304 if the client already has it. */
export function conditionalResponse(
  { body, etag, headers, isFresh }: Tagged,
  ifNoneMatch: string | undefined,
) {
  const rest = isFresh && { isFresh }
  const known = ifNoneMatch === undefined ? undefined : findKnownTag(etag, ifNoneMatch)
  return known === undefined
    ? { status: 200, headers: { ...headers, etag }, body, ...rest }
    : { status: 304, headers: { ...headers, etag: known }, ...rest }
}
