import { csrfHeader } from '@muster/contract'
import type { Exchange } from './exchange.ts'
import type { OwnOrigin } from './own-origin.ts'
import type { CreateError } from './ports.ts'
import { isSameSecret } from './session-key.ts'

const reads = new Set(['GET', 'HEAD'])

const isRead = ({ method }: Pick<Exchange, 'method'>): boolean => reads.has(method)

const singleValue = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** Rejects requests of pages from other origins. */
export function createSameOrigin({ originOf }: OwnOrigin, createError: CreateError) {
  const crossOrigin = () => createError('ForbiddenError', 'Cross-origin requests are not allowed.')

  /** Checks the origin that the browser reports. Reads are also allowed for typed addresses (`none`). */
  function requireOwnPage(exchange: Exchange): void {
    const site = singleValue(exchange.headers['sec-fetch-site'])
    if (isRead(exchange)) {
      if (site !== undefined && site !== 'same-origin' && site !== 'none') throw crossOrigin()
      return
    }
    if (site !== undefined && site !== 'same-origin') throw crossOrigin()
    if (singleValue(exchange.headers.origin) !== originOf(exchange)) throw crossOrigin()
  }

  return {
    requireOwnPage,
    /** For writes, requires the CSRF token, which only pages of the session can read. */
    requireIntent(exchange: Exchange, csrfToken: string): void {
      if (isRead(exchange)) return
      const given = singleValue(exchange.headers[csrfHeader])
      if (given !== undefined && isSameSecret(given, csrfToken)) return
      throw createError(
        'ForbiddenError',
        'X-CSRF-Token does not match your session, which may have changed in another tab. Reload the page.',
      )
    },
  }
}
export type SameOrigin = ReturnType<typeof createSameOrigin>
