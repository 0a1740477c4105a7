import type { Exchange } from './exchange.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/** The origin of the gateway: as configured, otherwise that of the request. */
export function createOwnOrigin(publicUrl: string | undefined) {
  const configured = publicUrl === undefined ? undefined : new URL(publicUrl)

  const originOf = ({ protocol, host }: Exchange): string =>
    configured?.origin ?? `${protocol}://${host}`

  return {
    originOf,
    isTls: (exchange: Exchange): boolean => originOf(exchange).startsWith('https:'),
    /** Whether browsers accept `Secure` cookies: over TLS and on loopback. */
    keepsSecureCookies(exchange: Exchange): boolean {
      const { protocol, host } = new URL(originOf(exchange))
      return protocol === 'https:' || loopback.test(host)
    },
  }
}
export type OwnOrigin = ReturnType<typeof createOwnOrigin>
