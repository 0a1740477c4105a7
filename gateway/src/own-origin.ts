import type { Exchange } from './exchange.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/** How browsers reach this gateway: as its operator says, else as this one did. */
export function createOwnOrigin(publicUrl: string | undefined) {
  const configured = publicUrl === undefined ? undefined : new URL(publicUrl)

  const originOf = ({ protocol, host }: Exchange): string =>
    configured?.origin ?? `${protocol}://${host}`

  return {
    originOf,
    isTls: (exchange: Exchange): boolean => originOf(exchange).startsWith('https:'),
    /** Where browsers keep a cookie that is only for safe ways: over TLS, and on their own machine. */
    keepsSecureCookies(exchange: Exchange): boolean {
      const { protocol, host } = new URL(originOf(exchange))
      return protocol === 'https:' || loopback.test(host)
    },
  }
}
export type OwnOrigin = ReturnType<typeof createOwnOrigin>
