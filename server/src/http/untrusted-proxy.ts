import type { FastifyInstance } from 'fastify'

/**
 * Warns once when requests seem to come through a proxy that is not trusted: all its users then
 * count as one address, and share one limit on failed logins.
 */
export function warnOfUntrustedProxy(app: FastifyInstance, trusted: readonly string[]): void {
  if (trusted.length > 0) return
  let isWarned = false
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isWarned && request.headers['x-forwarded-for'] !== undefined) {
      isWarned = true
      app.log.warn(
        { peer: request.socket.remoteAddress },
        'requests have X-Forwarded-For, but no proxy is trusted: all clients behind the proxy share one address and one login limit; if it is your proxy, add it to --trusted-proxies',
      )
    }
    done()
  })
}
