interface Tagged {
  readonly body: Buffer | readonly Buffer[]
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  readonly isStillRight?: () => boolean
}

/** Whether a caller has this already: one of the tags sent is its, weak or not, or any will do. */
function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/** The answer, or that it is the one the caller has. */
export function validated(
  { body, etag, headers, isStillRight }: Tagged,
  ifNoneMatch: string | undefined,
) {
  const answer = { headers: { ...headers, etag }, ...(isStillRight && { isStillRight }) }
  return isKnown(etag, ifNoneMatch) ? { ...answer, status: 304 } : { ...answer, status: 200, body }
}
