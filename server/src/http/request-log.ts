import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from './origin.ts'

/** The log line of a request, without query, headers and body. */
export interface RequestLine {
  readonly request_id: string
  readonly platform_request_id?: unknown
  readonly method: string
  readonly path: string
  readonly operation: string | undefined
  readonly status: number
  readonly ms: number
  readonly ip: string
  readonly user_id: string | undefined
  readonly reason?: string | undefined
}

/** Logs one line for each request, if the log level includes it. */
export function createRequestLog(log: FastifyBaseLogger) {
  const isWanted = ['info', 'debug', 'trace'].includes(log.level)
  return {
    isWanted,
    write(line: RequestLine): void {
      log.info({ ...line, ms: Math.round(line.ms * 10) / 10 }, 'request')
    },
  }
}
export type RequestLog = ReturnType<typeof createRequestLog>

/** Logs all requests that Fastify handles. */
export function logRequests(
  app: FastifyInstance,
  log: RequestLog,
  platformRequestIdHeader: string,
): void {
  if (!log.isWanted) return
  app.addHook('onResponse', (request, reply, done) => {
    log.write(lineOf(request, reply, platformRequestIdHeader))
    done()
  })
}

function lineOf(request: FastifyRequest, reply: FastifyReply, idHeader: string): RequestLine {
  const { operation } = request.routeOptions.config
  return {
    request_id: request.id,
    platform_request_id: reply.getHeader(idHeader),
    method: request.method,
    // The logger masks and truncates values from callers.
    path: operation?.path ?? request.url,
    operation: operation?.id,
    status: reply.statusCode,
    ms: reply.elapsedTime,
    ip: addressOf(request),
    user_id: request.userId,
    reason: request.reason,
  }
}
