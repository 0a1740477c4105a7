import { csrfHeader } from '@muster/contract'
import type { Exchange } from './exchange.ts'
import type { OwnOrigin } from './own-origin.ts'
import type { Refuse } from './ports.ts'
import { isSameSecret } from './session-key.ts'

const reads = new Set(['GET', 'HEAD'])

const isRead = ({ method }: Pick<Exchange, 'method'>): boolean => reads.has(method)

const only = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** Sees to it that what asks is a page of ours. */
export function createSameOrigin({ originOf }: OwnOrigin, refuse: Refuse) {
  const foreign = () => refuse('ForbiddenError', 'This is for pages of this very origin.')

  /** What a browser says of who asks. To read is also for people who type an address. */
  function requireOwnPage(exchange: Exchange): void {
    const site = only(exchange.headers['sec-fetch-site'])
    if (isRead(exchange)) {
      if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign()
      return
    }
    if (site !== undefined && site !== 'same-origin') throw foreign()
    if (only(exchange.headers.origin) !== originOf(exchange)) throw foreign()
  }

  return {
    requireOwnPage,
    /** And, where something is to be changed, a page that has read what only ours can. */
    requireIntent(exchange: Exchange, csrfToken: string): void {
      if (isRead(exchange)) return
      const given = only(exchange.headers[csrfHeader])
      if (given !== undefined && isSameSecret(given, csrfToken)) return
      throw refuse(
        'ForbiddenError',
        'X-CSRF-Token is not that of your session, which may have changed in another tab: load the page again.',
      )
    },
  }
}
export type SameOrigin = ReturnType<typeof createSameOrigin>
