import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { addressOf } from './origin.ts'

/** One line a request, without its query, headers and body. */
export function logRequests(app: FastifyInstance, platformRequestIdHeader: string): void {
  // Nothing is put together for a line that nobody will see.
  if (!isLevelEnabled(app.log)) return
  app.addHook('onResponse', (request, reply, done) => {
    const { operation } = request.routeOptions.config
    request.log.info(
      {
        request_id: request.id,
        platform_request_id: reply.getHeader(platformRequestIdHeader),
        method: request.method,
        // The log masks and cuts what a caller made up.
        path: operation?.path ?? request.url,
        operation: operation?.id,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ip: addressOf(request),
        user_id: request.userId,
        reason: request.reason,
      },
      'request',
    )
    done()
  })
}

const isLevelEnabled = ({ level }: FastifyBaseLogger): boolean =>
  ['info', 'debug', 'trace'].includes(level)
