import { sessionCookie } from '@muster/contract'
import type { Exchange } from './exchange.ts'
import type { OwnOrigin } from './own-origin.ts'

/** Cookie names. Browsers accept `__Host-` cookies only from this host and over a secure connection. */
const names = {
  session: sessionCookie,
  login: { secure: '__Host-muster-login', plain: 'muster_login' },
} as const

type Kind = keyof typeof names

/** Reads and sets the cookies of the gateway. Scripts cannot read them. */
export function createCookies({ keepsSecureCookies }: OwnOrigin) {
  const nameOf = (exchange: Exchange, kind: Kind) =>
    names[kind][keepsSecureCookies(exchange) ? 'secure' : 'plain']

  function set(exchange: Exchange, kind: Kind, value: string, seconds?: number): void {
    const attributes = [
      `${nameOf(exchange, kind)}=${value}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
      ...(keepsSecureCookies(exchange) ? ['Secure'] : []),
      ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    ]
    exchange.addHeader('set-cookie', attributes.join('; '))
  }

  return {
    /** Undefined if there is no such cookie, or two: one of them was set by another host. */
    read(exchange: Exchange, kind: Kind): string | undefined {
      const prefix = `${nameOf(exchange, kind)}=`
      const values = (exchange.headers.cookie ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(prefix))
      return values.length === 1 ? values[0]?.slice(prefix.length) : undefined
    },
    set,
    clear: (exchange: Exchange, kind: Kind): void => set(exchange, kind, '', 0),
  }
}
export type Cookies = ReturnType<typeof createCookies>
