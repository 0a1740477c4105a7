import { hash } from 'node:crypto'

/** The headers that Muster's own form signs, in the order in which they are signed. */
export const ownHeaderNames = [
  'host',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-muster-nonce',
] as const

export type OwnHeaders = Readonly<Record<(typeof ownHeaderNames)[number], string>>

const noContent = hash('sha256', '', 'hex')

/** The login that Muster's own form signs, as Signature Version 4 writes a request before hashing. */
export function hashOwnRequest(headers: OwnHeaders): string {
  const headerLines = ownHeaderNames.map((name) => `${name}:${headers[name]}`)
  const noQuery = ''
  const canonical = [
    'POST',
    '/v3/auth/tokens',
    noQuery,
    ...headerLines,
    '',
    ownHeaderNames.join(';'),
    headers['x-amz-content-sha256'],
  ]
  return hash('sha256', canonical.join('\n'), 'hex')
}

/** Whether it was for this host, at this moment, without content. */
export const isAddressed = (headers: OwnHeaders, audience: string, date: string): boolean =>
  headers.host === audience &&
  headers['x-amz-date'] === date &&
  headers['x-amz-content-sha256'] === noContent
