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
        'requests carry X-Forwarded-For, but no proxy is trusted: everyone behind it counts as one address; if the proxy is yours, name it in --trusted-proxies',
      )
    }
    done()
  })
}
