import { hash } from 'node:crypto'

/** The signed headers of a login with a nonce, in signing order. */
export const canonicalHeaderNames = [
  'host',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-muster-nonce',
] as const

export type CanonicalHeaders = Readonly<Record<(typeof canonicalHeaderNames)[number], string>>

const noContent = hash('sha256', '', 'hex')

/** The hash of the canonical request of a login, as Signature Version 4 defines it. */
export function hashCanonicalRequest(headers: CanonicalHeaders): string {
  const headerLines = canonicalHeaderNames.map((name) => `${name}:${headers[name]}`)
  const noQuery = ''
  const canonical = [
    'POST',
    '/v3/auth/tokens',
    noQuery,
    ...headerLines,
    '',
    canonicalHeaderNames.join(';'),
    headers['x-amz-content-sha256'],
  ]
  return hash('sha256', canonical.join('\n'), 'hex')
}

/** Whether the request was signed for this host and date, without a body. */
export const isForThisLogin = (
  headers: CanonicalHeaders,
  audience: string,
  date: string,
): boolean =>
  headers.host === audience &&
  headers['x-amz-date'] === date &&
  headers['x-amz-content-sha256'] === noContent
