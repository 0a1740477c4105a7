import type { FastifyBaseLogger, FastifyRequest } from 'fastify'

/**
 * Warns once when requests seem to come through a proxy that is not trusted: all its users then
 * count as one address, and share one limit on failed logins.
 */
export function createProxyWarning(log: FastifyBaseLogger, trusted: readonly string[]) {
  let isWarned = trusted.length > 0
  return function warnOfUntrustedProxy({ socket }: FastifyRequest): void {
    if (isWarned) return
    isWarned = true
    log.warn(
      { peer: socket.remoteAddress },
      'requests have X-Forwarded-For, but no proxy is trusted: all clients behind the proxy share one address and one login limit; if it is your proxy, add it to --trusted-proxies',
    )
  }
}
