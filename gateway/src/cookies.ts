import { sessionCookie } from '@muster/contract'
import type { Exchange } from './exchange.ts'
import type { OwnOrigin } from './own-origin.ts'

/** By what name a cookie goes: one that browsers take from this very host only, where they do. */
const names = {
  session: sessionCookie,
  casLogin: { secure: '__Host-muster-cas', plain: 'muster_cas' },
} as const

type Kind = keyof typeof names

/** The cookies of this gateway: for nobody to read but the browser that has them. */
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
    /** Undefined where there is none, and where there are two: one of them is somebody else's. */
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
